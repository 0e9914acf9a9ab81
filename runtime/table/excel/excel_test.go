package excel

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"gosphere/runtime/table"
)

func TestTablesAreWrittenAndReadAgain(t *testing.T) {
	want := table.New("name", "n", "x", "ok", "at", "code", "gap")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want.Append("κ,\"\n", 1, 0.1, true, at, "007", nil)
	want.Append(nil, 1<<53, math.NaN(), false, nil, "008", nil)
	want.Append("x", nil, -1e-7, nil, at.AddDate(0, 0, 1), "A", nil)
	path := filepath.Join(t.TempDir(), "a.xlsx")
	if err := table.Write(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := table.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if kinds := fmt.Sprint(got.Types()); kinds != "[string int float64 bool time.Time string any]" {
		t.Errorf("types %s", kinds)
	}
	if sheet, err := table.Read(path + "/Sheet1"); err != nil || sheet.Len() != 3 {
		t.Error(sheet, err)
	}
	if _, err := table.Read(path + "/None"); err == nil || !strings.Contains(err.Error(), `no sheet "None"`) {
		t.Error(err)
	}
	for i := range want.Len() {
		if fmt.Sprint(got.Row(i)) != fmt.Sprint(want.Row(i)) {
			t.Errorf("row %d is %v, want %v", i, got.Row(i), want.Row(i))
		}
	}
}

// workbook returns a file with some sheets.
func workbook(t testing.TB, fill func(f *excelize.File)) *bytes.Reader {
	t.Helper()
	f := excelize.NewFile()
	fill(f)
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text.Bytes())
}

func set(t testing.TB, f *excelize.File, sheet, cell string, values ...any) {
	t.Helper()
	if err := f.SetSheetRow(sheet, cell, &values); err != nil {
		t.Fatal(err)
	}
}

func TestSheetsOfOtherPrograms(t *testing.T) {
	of := workbook(t, func(f *excelize.File) {
		set(t, f, "Sheet1", "A1", "Report")
		set(t, f, "Sheet1", "A3", "day", "sum", "share", "note")
		format, percent := `dd"of"mm\.yy`, `0.00%;[Red]-0.00%`
		days, _ := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		shares, _ := f.NewStyle(&excelize.Style{CustomNumFmt: &percent})
		set(t, f, "Sheet1", "A4", 46024, 2, 0.25, "#N/A")
		set(t, f, "Sheet1", "A6", 46025.5, 3, 0.5, "x")
		_ = f.SetCellStyle("Sheet1", "A4", "A6", days)
		_ = f.SetCellStyle("Sheet1", "C4", "C6", shares)
		_ = f.SetCellFormula("Sheet1", "B6", "B4+1")
		_, _ = f.NewSheet("Other")
		set(t, f, "Other", "A1", "a")
		set(t, f, "Other", "A2", 1, 2)
	})
	var notes bytes.Buffer
	got, err := Sheet{Skip: 1, Form: table.CSV{Notes: &notes}}.Read(of, of.Size())
	if err != nil {
		t.Fatal(err)
	}
	want := "[day sum share note] [time.Time int float64 string] [2026-01-02 00:00:00 +0000 UTC 2 0.25 #N/A] [2026-01-03 12:00:00 +0000 UTC 3 0.5 x]"
	if text := fmt.Sprint(got.Columns(), got.Types(), got.Row(0), got.Row(1)); text != want || notes.Len() > 0 {
		t.Errorf("got %s, want %s, notes %s", text, want, notes.String())
	}
	names, err := Names(of, of.Size())
	if err != nil || !reflect.DeepEqual(names, []string{"Sheet1", "Other"}) {
		t.Errorf("%q, %v", names, err)
	}
	for want, s := range map[string]Sheet{
		`sheet "Other": row 2 has 2 values, want 1`:            {Name: "Other"},
		`no sheet "None", want one of ["Sheet1" "Other"]`:      {Name: "None"},
		`empty input, want a first line with the column names`: {Skip: 100},
	} {
		if _, err := s.Read(of, of.Size()); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Read(strings.NewReader("PK no"), 5); err == nil || !strings.Contains(err.Error(), "the workbook is damaged or no .xlsx file") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	of := workbook(f, func(x *excelize.File) {
		set(f, x, "Sheet1", "A1", "a", "b")
		set(f, x, "Sheet1", "A2", 1, "x")
	})
	text := make([]byte, of.Size())
	_, _ = of.ReadAt(text, 0)
	f.Add(text)
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Sheet{Form: table.CSV{Notes: &bytes.Buffer{}}}.Read(bytes.NewReader(text), int64(len(text)))
		if err == nil && len(got.Types()) != len(got.Columns()) {
			t.Error(got)
		}
	})
}
