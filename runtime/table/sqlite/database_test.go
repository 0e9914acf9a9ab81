package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gosphere/runtime/table"
)

func TestTablesComeBackFromFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my shop %20.sqlite")
	orders := sales().Drop("wait").WithColumns(table.Map("day", time.Time.UTC), table.Map("shop", func(n int) string { return []string{"", "north", "süd"}[n] }).As("town"))
	if err := table.Write(file+"/orders", orders); err != nil {
		t.Fatal(err)
	}
	got, err := table.Read(file) // the only table
	if err != nil || all(got) != all(orders) {
		t.Errorf("%v\n%s, want\n%s", err, all(got), all(orders))
	}
	if err := table.Write(file, orders.Head(1)); err != nil { // the name of the file
		t.Fatal(err)
	}
	for name, want := range map[string]int{file + "/orders": 3, file + "/my shop %20": 1} {
		if got, err := table.Read(name); err != nil || got.Len() != want {
			t.Errorf("%s: %v, want %d rows, %v", name, got, want, err)
		}
	}
	if err := table.Write(file+"/orders", orders.Head(2)); err != nil { // in place of the old one
		t.Fatal(err)
	}
	if got, err := table.Read(file + "/ORDERS"); err != nil || got.Len() != 2 {
		t.Errorf("%v, %v", got, err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	inMemory, err := table.FormatOf(".sqlite").ReadPart(bytes.NewReader(content), int64(len(content)), "orders")
	if err != nil || all(inMemory) != all(orders.Head(2)) {
		t.Errorf("%v, %v", inMemory, err)
	}
}

func TestBadDatabasesSayWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	file, empty, text := filepath.Join(folder, "a.sqlite"), filepath.Join(folder, "empty.db"), filepath.Join(folder, "text.sqlite3")
	for _, name := range []string{"orders", "shops"} {
		if err := table.Write(file+"/"+name, sales()); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{empty: "", text: "no database, but a text that is long enough to be one of a database"} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		file:                               "the database has the tables orders, shops: name one after the file, as in a.sqlite/orders",
		file + "/order":                    `the database has no table "order"; did you mean orders?`,
		file + "/nowhere":                  `the database has no table "nowhere"; its tables are orders, shops`,
		empty:                              "the database has no tables",
		text:                               "file is not a database",
		filepath.Join(folder, "none.db"):   "no such file or directory",
		filepath.Join(folder, "none.db/x"): "no such file or directory",
		folder + "/":                       "",
	} {
		if want == "" {
			continue
		}
		if _, err := table.Read(name); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), filepath.Base(strings.Split(name, "/or")[0])) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	nan := table.New("x")
	nan.Append(1.5)
	nan.Append(math.NaN())
	for want, bad := range map[string]*table.Table{
		`column "x", row 1: SQL has no NaN: use FillNaN(nil)`: nan,
		`the columns "a" and "A" are one in SQL`:              table.New("a", "A"),
		"this table has none":                                 table.New(),
	} {
		if err := table.Write(file+"/orders", bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if got, err := table.Read(file + "/orders"); err != nil || got.Len() != 3 {
		t.Errorf("a failed Write has changed the table: %v, %v", got, err)
	}
}

func TestTablesOfDatabasesGrow(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := (table.Database{DB: db}).Write("sales", sales()); err != nil {
		t.Fatal(err)
	}
	if err := (table.Database{DB: db}).Write("sales", sales()); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Error(err)
	}
	if err := (table.Database{DB: db, Append: true}).Write("sales", sales().Select("price", "shop")); err != nil {
		t.Fatal(err)
	}
	if err := (table.Database{DB: db, Append: true}).Write("sales", table.New("other")); err == nil || !strings.Contains(err.Error(), "other") {
		t.Error(err)
	}
	got, err := table.Query(db, "select count(*) n, count(day) days, sum(wait) wait, min(typeof(paid)) paid from sales")
	if want := "n,days,wait,paid int,int,int,string 6 2 3601000000000 integer"; err != nil || all(got) != want {
		t.Errorf("%v, %s, want %s", err, all(got), want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (table.Database{DB: db, Replace: true}).WriteContext(ctx, "sales", sales()); err == nil {
		t.Error("written after the end of the context")
	}
}

// Dates of programs that write other layouts are read as times.
func TestTimesOfOtherProgramsAreRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("create table a (d date, t timestamp, b boolean); insert into a values ('2026-01-02', '2026-01-02T03:04:05Z', 1), (null, '2026-01-02 03:04:05', 0)")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := table.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if !got.At(0, "t").(time.Time).Equal(at) || !got.At(1, "t").(time.Time).Equal(at) || got.At(0, "d") != time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) || got.At(1, "b") != false {
		t.Error(all(got))
	}
}

// FuzzReadContent checks that damaged databases are an error and no more.
func FuzzReadContent(f *testing.F) {
	file := filepath.Join(f.TempDir(), "a.sqlite")
	if err := table.Write(file, sales()); err != nil {
		f.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content, 100, byte(7))
	f.Add([]byte("SQLite format 3\x00"), 0, byte(0))
	f.Fuzz(func(t *testing.T, content []byte, at int, change byte) {
		if len(content) > 1<<16 {
			return
		}
		content = bytes.Clone(content)
		if at >= 0 && at < len(content) {
			content[at] ^= change
		}
		if got, err := readContent(bytes.NewReader(content), int64(len(content)), ""); err == nil && got == nil {
			t.Error("neither a table nor an error")
		}
	})
}
