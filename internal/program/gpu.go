//go:build gpu

package program

import _ "gosphere/asymvlm/gpu" // offers the card as the device cuda
