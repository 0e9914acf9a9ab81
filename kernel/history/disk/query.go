//go:build !js

package disk

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"gosphere/kernel/history"
	"gosphere/kernel/protocol"
)

// tables are the tables of IPython. source is the text after IPython's transformations and
// source_raw the text as typed. Here both are the same.
const tables = `
CREATE TABLE IF NOT EXISTS sessions (
	session integer primary key autoincrement, start timestamp, end timestamp, num_cmds integer, remark text);
CREATE TABLE IF NOT EXISTS history (
	session integer, line integer, source text, source_raw text, PRIMARY KEY (session, line));
CREATE TABLE IF NOT EXISTS output_history (
	session integer, line integer, output text, PRIMARY KEY (session, line));`

// timeFormat is IPython's format of times: local time without a time zone. For instance "2026-01-31
// 09:30:00.123456".
const timeFormat = "2006-01-02 15:04:05.000000"

// A file is an open history file. Its methods may be called by one goroutine at a time. A session
// is numbered with its first cell, so that kernels without cells leave no empty sessions. The
// numbers are SQLite's, hence unique among all processes that share the file.
type file struct {
	db      *sql.DB
	session int // number of this log, 0 before its first cell
	cells   int // number of cells of this session
}

// begin assigns a number to this session. It runs in the transaction of the first cells, so that a
// failure leaves no empty session.
func (f *file) begin(ctx context.Context, in *sql.Tx) error {
	result, err := in.ExecContext(ctx, `INSERT INTO sessions (start, remark) VALUES (?, '')`, time.Now().Format(timeFormat))
	if err != nil {
		return err
	}
	number, err := result.LastInsertId()
	f.session = int(number)
	return err
}

// write stores cells of this session in one transaction. After a failure the session has its former
// number again, which is 0 if the transaction began it, and the same cells can be written once
// more.
func (f *file) write(ctx context.Context, cells []history.Cell) (err error) {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	session := f.session
	defer func() {
		if err != nil {
			f.session = session
			_ = tx.Rollback() // the error of the statement is reported
		}
	}()
	if f.session == 0 {
		if err = f.begin(ctx, tx); err != nil {
			return err
		}
	}
	for _, c := range cells {
		if _, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO history (session, line, source, source_raw) VALUES (?, ?, ?, ?)`,
			f.session, c.Line, c.Source, c.Source); err != nil {
			return err
		}
		if c.Output == "" {
			continue
		}
		if _, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO output_history (session, line, output) VALUES (?, ?, ?)`,
			f.session, c.Line, c.Output); err != nil {
			return err
		}
	}
	if err = tx.Commit(); err != nil {
		return err
	}
	f.cells += len(cells)
	return nil
}

// end records the end time of this session and its number of cells. It changes nothing for a log
// without cells, which has no row.
func (f *file) end(ctx context.Context) error {
	if f.session == 0 {
		return nil
	}
	_, err := f.db.ExecContext(ctx, `UPDATE sessions SET end = ?, num_cmds = ? WHERE session = ?`,
		time.Now().Format(timeFormat), f.cells, f.session)
	return err
}

// It joins a cell with its output, which may be missing.
const chosen = `SELECT h.session, h.line, h.source_raw, coalesce(o.output, '')
	FROM history h LEFT JOIN output_history o ON o.session = h.session AND o.line = h.line `

// find returns the cells that match a request, oldest first. Any other kind than range and search
// is tail, because Find has checked the kind.
func (f *file) find(ctx context.Context, request protocol.HistoryRequest) ([]history.Cell, error) {
	switch request.HistAccessType {
	case "range":
		return f.lines(ctx, request)
	case "search":
		condition := `WHERE h.source_raw GLOB ? `
		// The last cell of each text is kept, in its own place in time, as latest does in memory.
		if request.Unique {
			condition += `AND NOT EXISTS (SELECT 1 FROM history later WHERE later.source_raw = h.source_raw
				AND (later.session > h.session OR later.session = h.session AND later.line > h.line)) `
		}
		return f.newest(ctx, condition, request.N, glob(request.Pattern))
	}
	return f.newest(ctx, "", request.N)
}

// glob converts a pattern for SQLite, where [ begins a class, but here matches itself. Other
// characters of patterns mean the same in both, and an empty pattern matches every text. For
// instance "a[1]*" becomes "a[[]1]*".
func glob(pattern string) string {
	if pattern == "" {
		return "*"
	}
	return strings.ReplaceAll(pattern, "[", "[[]")
}

// newest returns the last count cells that satisfy a condition, or all for a count of 0. The
// statement orders them newest first because of the limit. For instance a tail of 2 is the last two
// cells of all sessions, which other kernels may have written.
func (f *file) newest(ctx context.Context, condition string, count int, arguments ...any) ([]history.Cell, error) {
	if count <= 0 {
		count = -1 // no limit
	}
	cells, err := f.query(ctx, chosen+condition+`ORDER BY h.session DESC, h.line DESC LIMIT ?`, append(arguments, count)...)
	slices.Reverse(cells)
	return cells, err
}

// lines returns cells of one session. As in IPython, 0 is this session, and negative numbers count
// back from it. For instance -1 is the session before this one.
func (f *file) lines(ctx context.Context, request protocol.HistoryRequest) ([]history.Cell, error) {
	session := request.Session
	if session <= 0 {
		current := f.session
		if current == 0 { // a session without cells will be numbered after all others
			if err := f.db.QueryRowContext(ctx, `SELECT coalesce(max(session), 0) + 1 FROM sessions`).Scan(&current); err != nil {
				return nil, err
			}
		}
		session += current
	}
	var last int
	if err := f.db.QueryRowContext(ctx, `SELECT coalesce(max(line), 0) FROM history WHERE session = ?`, session).Scan(&last); err != nil {
		return nil, err
	}
	from, to := history.Lines(request, last)
	return f.query(ctx, chosen+`WHERE h.session = ? AND h.line >= ? AND h.line < ? ORDER BY h.line`, session, from, to)
}

// query returns the cells that a statement with the columns of chosen selects.
func (f *file) query(ctx context.Context, statement string, arguments ...any) ([]history.Cell, error) {
	rows, err := f.db.QueryContext(ctx, statement, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var cells []history.Cell
	for rows.Next() {
		var c history.Cell
		if err := rows.Scan(&c.Session, &c.Line, &c.Source, &c.Output); err != nil {
			return nil, fmt.Errorf("reading a row: %w", err)
		}
		cells = append(cells, c)
	}
	return cells, rows.Err()
}
