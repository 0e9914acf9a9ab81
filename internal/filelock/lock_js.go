package filelock

import "os"

// TryLock succeeds: no other process uses the files of a page.
func TryLock(*os.File) (bool, error) { return true, nil }

// Unlock does nothing.
func Unlock(*os.File) {}
