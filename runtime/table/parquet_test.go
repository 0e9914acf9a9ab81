package table_test

// The tests of package table read Parquet files and run SQL.
import (
	_ "gosphere/runtime/table/parquet"
	_ "gosphere/runtime/table/sqlite"
)
