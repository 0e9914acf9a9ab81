//go:build gpu

package main

import _ "gosphere/asymvlm/gpu" // registers the GPU as the device cuda
