package machine

import (
	"os"

	"golang.org/x/sys/windows/registry"
)

// processorName returns the name of the CPU from the registry, or from the environment.
func processorName() string {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `HARDWARE\DESCRIPTION\System\CentralProcessor\0`, registry.QUERY_VALUE)
	if err == nil {
		defer key.Close()
		if name, _, err := key.GetStringValue("ProcessorNameString"); err == nil {
			return name
		}
	}
	return os.Getenv("PROCESSOR_IDENTIFIER")
}

// memory returns zeros, which mean unknown: Windows reports sizes only through a call that x/sys
// lacks.
func memory() (total, free uint64) { return 0, 0 }
