//go:build gpu

package main

import _ "gosphere/asymvlm/cuda/gpu" // registers the GPU as the device cuda
