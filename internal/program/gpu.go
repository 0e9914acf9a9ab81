//go:build gpu

package program

import _ "gosphere/asymvlm/cuda/gpu" // offers the card as the device cuda
