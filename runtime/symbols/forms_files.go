//go:build !js

package symbols

import (
	_ "gosphere/runtime/table/sqlite" // SQL over tables in cells; the program for the browser has no SQLite
)
