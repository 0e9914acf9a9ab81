//go:build !unix

package magic

import "time"

func processorTime() time.Duration { return -1 }
