package modules

import "os"

// tryLock succeeds: no other process uses the files of a page.
func tryLock(*os.File) (bool, error) { return true, nil }

func unlock(*os.File) {}
