// Package delimited reads separated values and finds the types of their columns.
//
// Read options.go first, then scan.go, which cuts text into records, readings.go, which converts
// texts, and columns.go and stream.go, which do so for files in memory and larger ones.
package delimited

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxRecord is the greatest number of bytes of one record.
const maxRecord = 64 << 20

// A scanner cuts a text into records.
type scanner struct {
	in      *bufio.Reader
	quote   rune    // or -1 for none
	comment rune    // or 0 for none
	line    int     // of the next byte, from 1
	start   int     // the line where the current record begins
	record  []byte  // the line itself, valid until the next call, or kept if a value has quotes
	kept    []byte  // memory of records with quotes
	places  []place // of the values in record
	sep     []byte  // the separator
	q       []byte  // quote as bytes, nil for none
}

// A place is that of a value in a record.
type place struct{ begin, end int }

func newScanner(r io.Reader, o *Options) *scanner {
	in, ok := r.(*bufio.Reader)
	if !ok {
		in = bufio.NewReaderSize(r, 1<<16)
	}
	s := &scanner{in: in, quote: o.quote(), comment: o.Comment, line: 1, sep: utf8.AppendRune(nil, o.Comma)}
	if s.quote >= 0 {
		s.q = utf8.AppendRune(nil, s.quote)
	}
	return s
}

// next reads the next record and returns the number of its values, which value returns until the
// next call. Empty lines and comments are left out. The error is io.EOF at the end.
func (s *scanner) next() (int, error) {
	for {
		line, err := s.readLine()
		if err != nil {
			return 0, err
		}
		s.start = s.line
		s.line++
		line = withoutNewline(line)
		if len(line) == 0 || s.comment != 0 && startsWith(line, s.comment) {
			continue
		}
		s.places = s.places[:0]
		if s.q == nil || !bytes.Contains(line, s.q) {
			s.split(line)
			return len(s.places), nil
		}
		s.record = s.kept[:0]
		err = s.cut(line)
		s.kept = s.record
		return len(s.places), err
	}
}

// value returns a value of the record.
func (s *scanner) value(k int) []byte { return s.record[s.places[k].begin:s.places[k].end] }

// split finds the values of a line without quotes, which it does not copy.
func (s *scanner) split(line []byte) {
	s.record = line
	begin := 0
	if len(s.sep) == 1 {
		comma := s.sep[0]
		for i, c := range line {
			if c == comma {
				s.places = append(s.places, place{begin, i})
				begin = i + 1
			}
		}
		s.places = append(s.places, place{begin, len(line)})
		return
	}
	for {
		at := bytes.Index(line[begin:], s.sep)
		if at < 0 {
			s.places = append(s.places, place{begin, len(line)})
			return
		}
		s.places = append(s.places, place{begin, begin + at})
		begin += at + len(s.sep)
	}
}

// values returns the values of the record as strings.
func (s *scanner) values() []string {
	list := make([]string, len(s.places))
	for k := range list {
		list[k] = string(s.value(k))
	}
	return list
}

// texts are the texts of a column. They share one string, so that the collector has few pointers.
type texts struct {
	all  strings.Builder
	ends []int
	text string // once the texts are complete
}

// add appends a text. The memory doubles, because texts of whole files are long.
func (t *texts) add(value []byte) {
	if t.all.Len()+len(value) > t.all.Cap() {
		t.all.Grow(t.all.Cap() + len(value))
	}
	if len(t.ends) == cap(t.ends) {
		t.ends = slices.Grow(t.ends, max(1024, len(t.ends)))
	}
	t.all.Write(value)
	t.ends = append(t.ends, t.all.Len())
}

func (t *texts) len() int { return len(t.ends) }

// at returns a text once complete was called.
func (t *texts) at(i int) string {
	begin := 0
	if i > 0 {
		begin = t.ends[i-1]
	}
	return t.text[begin:t.ends[i]]
}

func (t *texts) complete() { t.text = t.all.String() }

func (t *texts) reset() {
	t.all.Reset()
	t.ends, t.text = t.ends[:0], ""
}

// readLine returns the next line with its end. The error is io.EOF only if there is none.
func (s *scanner) readLine() ([]byte, error) {
	line, err := s.in.ReadSlice('\n')
	if err == nil || errors.Is(err, io.EOF) && len(line) > 0 {
		return line, nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	long := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.in.ReadSlice('\n')
		if long = append(long, line...); len(long) > maxRecord {
			return nil, fmt.Errorf("line %d has more than %d bytes", s.line, maxRecord)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return long, nil
}

func withoutNewline(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}

func startsWith(line []byte, with rune) bool {
	first, _ := utf8.DecodeRune(line)
	return first == with
}

// cut appends the values of a record. A value in quotes may go on in the next lines.
func (s *scanner) cut(line []byte) error {
	comma, quote := s.sep, s.q
	for {
		begin := len(s.record)
		if bytes.HasPrefix(line, quote) {
			rest, err := s.quoted(line[len(quote):], quote)
			if err != nil {
				return err
			}
			s.places = append(s.places, place{begin, len(s.record)})
			switch {
			case len(rest) == 0:
				return nil
			case !bytes.HasPrefix(rest, comma):
				return fmt.Errorf("line %d: value %d goes on after its closing quote %c", s.line-1, len(s.places), s.quote)
			}
			line = rest[len(comma):]
			continue
		}
		at := bytes.Index(line, comma)
		if at < 0 {
			s.record = append(s.record, line...)
			s.places = append(s.places, place{begin, len(s.record)})
			return nil
		}
		s.record = append(s.record, line[:at]...)
		s.places = append(s.places, place{begin, len(s.record)})
		line = line[at+len(comma):]
	}
}

// quoted appends a value after its opening quote and returns the rest of the line after the closing
// one. A doubled quote stands for one.
func (s *scanner) quoted(line, quote []byte) (rest []byte, err error) {
	for {
		at := bytes.Index(line, quote)
		if at < 0 {
			s.record = append(append(s.record, line...), '\n')
			if len(s.record) > maxRecord {
				return nil, fmt.Errorf("line %d: value %d has more than %d bytes: is its quote %c closed?", s.start, len(s.places)+1, maxRecord, s.quote)
			}
			if line, err = s.readLine(); errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("line %d: the quote %c of value %d is not closed", s.start, s.quote, len(s.places)+1)
			} else if err != nil {
				return nil, err
			}
			s.line++
			line = withoutNewline(line)
			continue
		}
		s.record = append(s.record, line[:at]...)
		line = line[at+len(quote):]
		if !bytes.HasPrefix(line, quote) {
			return line, nil
		}
		s.record = append(s.record, quote...)
		line = line[len(quote):]
	}
}
