package table_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"

	"gosphere/runtime/table"
)

func ExampleSQL() {
	sales := table.New("region", "price", "units")
	sales.Append("north", 2.5, 3)
	sales.Append("south", 1.0, nil)
	sales.Append("north", 4.0, 5)
	type boss struct{ Region, Name string }
	bosses := []boss{{"north", "Ann"}, {"south", "Bob"}}
	totals, err := table.SQL("select name, sum(price * units) as total from sales join bosses using (region) where price > :least group by name",
		table.With{"sales": sales, "bosses": bosses, "least": 2})
	if err != nil {
		log.Fatal(err)
	}
	totals.WriteCSV(os.Stdout)
	// Output:
	// Name,total
	// Ann,27.5
}

func ExampleQueryWith() {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection would have its own database
	if _, err := db.Exec("create table prices (id int, price real); insert into prices values (1, 2.5), (2, 4)"); err != nil {
		log.Fatal(err)
	}
	ordered := table.New("id", "units")
	ordered.Append(2, 10)
	t, err := table.QueryWith(context.Background(), db, "select units * price as total from prices join ordered using (id)", table.With{"ordered": ordered})
	fmt.Println(t.Row(0), err)
	// Output: [40] <nil>
}

func ExampleDatabase_Write() {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection would have its own database
	if err := (table.Database{DB: db}).Write("shops", towns()); err != nil {
		panic(err)
	}
	changed, err := table.ExecWith(context.Background(), db, "delete from shops where name = :closed", table.With{"closed": "north"})
	if err != nil {
		panic(err)
	}
	left, err := table.Query(db, "select count(*) as shops from shops")
	if err != nil {
		panic(err)
	}
	fmt.Println(changed, left.At(0, "shops"))
	// Output: 1 1
}

func ExampleCheckSQL() {
	err := table.CheckSQL(context.Background(), nil, "select nmae from shops", table.With{"shops": towns()})
	fmt.Println(err)
	// Output: no such column: nmae; did you mean name?
}

func towns() *table.Table {
	t := table.New("name", "rent")
	t.Append("north", 700)
	t.Append("south", 450)
	return t
}
