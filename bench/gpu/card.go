//go:build gpu

package main

import _ "gosphere/asymvlm/cuda/card" // offers the card as the device cuda
