package symbols

import (
	_ "gosphere/runtime/display/gonum" // the form of plots and matrices, whose packages are in the tables
	_ "gosphere/runtime/table/parquet" // the format that table.Read reads in cells
)
