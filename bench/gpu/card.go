//go:build gpu

package main

import _ "gosphere/asymvlm/cuda/card" // registers the GPU as the device cuda
