//go:build gpu

package main

import _ "gosphere/asymvlm/cuda/gpu" // offers the card as the device cuda
