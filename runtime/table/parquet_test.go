package table_test

import _ "gosphere/runtime/table/parquet" // the tests of package table read Parquet files
