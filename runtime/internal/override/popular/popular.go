//go:build !js

// Package popular has the overrides of functions of popular modules that the program brings along:
// those that write to the standard output of the process, and those that iterate over the maps of
// their arguments. Importing the package registers them.
package popular

import (
	"io"
	"maps"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/message"
	"gopkg.in/yaml.v3"

	"gosphere/runtime/internal/guard/cycles"
	"gosphere/runtime/internal/guard/streams"
	"gosphere/runtime/internal/override"
)

func init() { override.Register(names, support) }

// names maps functions and methods to the names of their overrides.
var names = map[string]string{
	"gopkg.in/yaml.v3.Marshal":                      "YAMLMarshal",
	"gopkg.in/yaml.v3.Unmarshal":                    "YAMLUnmarshal",
	"github.com/BurntSushi/toml.Marshal":            "TOMLMarshal",
	"github.com/BurntSushi/toml.Unmarshal":          "TOMLUnmarshal",
	"github.com/BurntSushi/toml.Decode":             "TOMLDecode",
	"gopkg.in/yaml.v3.NewEncoder":                   "YAMLNewEncoder",
	"gopkg.in/yaml.v3.NewDecoder":                   "YAMLNewDecoder",
	"github.com/BurntSushi/toml.NewEncoder":         "TOMLNewEncoder",
	"github.com/BurntSushi/toml.NewDecoder":         "TOMLNewDecoder",
	"github.com/BurntSushi/toml.DecodeFile":         "TOMLDecodeFile",
	"github.com/google/go-cmp/cmp.Equal":            "CmpEqual",
	"github.com/google/go-cmp/cmp.Diff":             "CmpDiff",
	"(*gopkg.in/yaml.v3.Encoder).Encode":            "YAMLEncode",
	"(*gopkg.in/yaml.v3.Decoder).Decode":            "YAMLDecode",
	"(*gopkg.in/yaml.v3.Node).Encode":               "YAMLNodeEncode",
	"(*gopkg.in/yaml.v3.Node).Decode":               "YAMLNodeDecode",
	"(*github.com/BurntSushi/toml.Encoder).Encode":  "TOMLEncode",
	"(*github.com/BurntSushi/toml.Decoder).Decode":  "TOMLDecodeAll",
	"(*golang.org/x/text/message.Printer).Print":    "MessagePrint",
	"(*golang.org/x/text/message.Printer).Println":  "MessagePrintln",
	"(*golang.org/x/text/message.Printer).Sprint":   "MessageSprint",
	"(*golang.org/x/text/message.Printer).Sprintln": "MessageSprintln",
	"(*golang.org/x/text/message.Printer).Sprintf":  "MessageSprintf",
	"(*golang.org/x/text/message.Printer).Fprint":   "MessageFprint",
	"(*golang.org/x/text/message.Printer).Fprintln": "MessageFprintln",
	"(*golang.org/x/text/message.Printer).Fprintf":  "MessageFprintf",
	"(*golang.org/x/text/message.Printer).Printf":   "MessagePrintf",
}

// support returns the overrides.
func support(t override.Tools) map[string]any {
	held := t.Held
	print := func(format func(...any) string) func(...any) (int, error) {
		return func(a ...any) (int, error) {
			release := held(false, a...)
			cycles.Format.Refuse(a...)
			text := format(a...)
			release() // the stream may block
			return io.WriteString(streams.Stdout, text)
		}
	}
	support := map[string]any{
		"MessagePrint":   func(p *message.Printer, a ...any) (int, error) { return print(p.Sprint)(a...) },
		"MessagePrintln": func(p *message.Printer, a ...any) (int, error) { return print(p.Sprintln)(a...) },
		"MessagePrintf": func(p *message.Printer, key message.Reference, a ...any) (int, error) {
			return print(func(a ...any) string { return p.Sprintf(key, a...) })(a...)
		},
		"YAMLMarshal": func(v any) ([]byte, error) {
			defer held(false, v)()
			cycles.Encode.Refuse(v)
			return yaml.Marshal(v)
		},
		"YAMLUnmarshal": func(data []byte, v any) error { defer held(true, v)(); return yaml.Unmarshal(data, v) },
		"TOMLMarshal": func(v any) ([]byte, error) {
			defer held(false, v)()
			cycles.Encode.Refuse(v)
			return toml.Marshal(v)
		},
		"TOMLUnmarshal": func(data []byte, v any) error { defer held(true, v)(); return toml.Unmarshal(data, v) },
		"TOMLDecode":    func(data string, v any) (toml.MetaData, error) { defer held(true, v)(); return toml.Decode(data, v) },
		"CmpEqual": func(x, y any, options ...cmp.Option) bool {
			defer held(false, x, y)()
			return cmp.Equal(x, y, options...)
		},
		"CmpDiff": func(x, y any, options ...cmp.Option) string {
			defer held(false, x, y)()
			return cmp.Diff(x, y, options...)
		},
	}
	maps.Copy(support, messageSupport())
	maps.Copy(support, Codecs(t))
	return support
}

// messageSupport returns the overrides of the functions of x/text/message that return text or write
// it to a writer.
func messageSupport() map[string]any {
	return map[string]any{
		"MessageSprint":   func(p *message.Printer, a ...any) string { cycles.Format.Refuse(a...); return p.Sprint(a...) },
		"MessageSprintln": func(p *message.Printer, a ...any) string { cycles.Format.Refuse(a...); return p.Sprintln(a...) },
		"MessageSprintf": func(p *message.Printer, key message.Reference, a ...any) string {
			cycles.Format.Refuse(a...)
			return p.Sprintf(key, a...)
		},
		"MessageFprint": func(p *message.Printer, w io.Writer, a ...any) (int, error) {
			cycles.Format.Refuse(a...)
			return p.Fprint(w, a...)
		},
		"MessageFprintln": func(p *message.Printer, w io.Writer, a ...any) (int, error) {
			cycles.Format.Refuse(a...)
			return p.Fprintln(w, a...)
		},
		"MessageFprintf": func(p *message.Printer, w io.Writer, key message.Reference, a ...any) (int, error) {
			cycles.Format.Refuse(a...)
			return p.Fprintf(w, key, a...)
		},
	}
}

// Codecs returns the overrides of encoders and decoders.
func Codecs(t override.Tools) map[string]any {
	return map[string]any{
		"YAMLNewEncoder": func(w io.Writer) *yaml.Encoder { return yaml.NewEncoder(t.Writer(w)) },
		"YAMLNewDecoder": func(r io.Reader) *yaml.Decoder { return yaml.NewDecoder(t.Reader(r)) },
		"YAMLEncode":     func(e *yaml.Encoder, v any) error { return t.Encode(v, func() error { return e.Encode(v) }) },
		"YAMLDecode":     func(d *yaml.Decoder, v any) error { return t.Code(true, v, func() error { return d.Decode(v) }) },
		"YAMLNodeEncode": func(n *yaml.Node, v any) error { return t.Encode(v, func() error { return n.Encode(v) }) },
		"YAMLNodeDecode": func(n *yaml.Node, v any) error { return t.Code(true, v, func() error { return n.Decode(v) }) },
		"TOMLNewEncoder": func(w io.Writer) *toml.Encoder { return toml.NewEncoder(t.Writer(w)) },
		"TOMLNewDecoder": func(r io.Reader) *toml.Decoder { return toml.NewDecoder(t.Reader(r)) },
		"TOMLEncode":     func(e *toml.Encoder, v any) error { return t.Encode(v, func() error { return e.Encode(v) }) },
		"TOMLDecodeAll": func(d *toml.Decoder, v any) (data toml.MetaData, err error) {
			err = t.Code(true, v, func() error { data, err = d.Decode(v); return err })
			return data, err
		},
		"TOMLDecodeFile": func(path string, v any) (data toml.MetaData, err error) {
			err = t.Code(true, v, func() error { data, err = toml.DecodeFile(path, v); return err })
			return data, err
		},
	}
}
