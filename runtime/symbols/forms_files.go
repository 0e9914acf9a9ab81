//go:build !js

package symbols

// The program for the browser has no SQLite, and omits the format of Excel for its size.
import (
	_ "gosphere/runtime/table/excel"  // the format that table.Read and table.Write know in cells
	_ "gosphere/runtime/table/sqlite" // SQL over tables
)
