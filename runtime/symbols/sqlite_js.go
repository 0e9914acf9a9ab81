package symbols

import (
	"database/sql"
	"database/sql/driver"
	"errors"
)

func init() { sql.Register("sqlite", noSQLite{}) }

// noSQLite is the driver of SQLite for browsers. It opens nothing and says why.
type noSQLite struct{}

var errNoSQLite = errors.New("SQLite does not exist for the browser: run the notebook with the native program, or read the data with table.Read")

func (noSQLite) Open(string) (driver.Conn, error) { return nil, errNoSQLite }

// OpenConnector makes sql.Open return the error, in place of the first use of the database.
func (noSQLite) OpenConnector(string) (driver.Connector, error) { return nil, errNoSQLite }
