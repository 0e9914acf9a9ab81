package stale_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// wellFormed returns the first mistake in an XML text.
func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
