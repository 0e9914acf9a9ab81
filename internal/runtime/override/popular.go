//go:build !js

package override

import (
	"io"
	"maps"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/message"
	"gopkg.in/yaml.v3"

	"gosphere/internal/runtime/guard/streams"
)

// popularSupport returns the overrides of functions of popular modules: those that write to the
// standard output of the process, and those that iterate over the maps of their arguments.
func (g functions) popularSupport() map[string]any {
	held := func(writing bool, values ...any) (release func()) {
		if !g.Sharing.Shared() {
			return func() {}
		}
		return g.Sharing.LockMaps(writing, values...)
	}
	print := func(format func(...any) string) func(...any) (int, error) {
		return func(a ...any) (int, error) {
			release := held(false, a...)
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
		"YAMLMarshal":   func(v any) ([]byte, error) { defer held(false, v)(); return yaml.Marshal(v) },
		"YAMLUnmarshal": func(data []byte, v any) error { defer held(true, v)(); return yaml.Unmarshal(data, v) },
		"TOMLMarshal":   func(v any) ([]byte, error) { defer held(false, v)(); return toml.Marshal(v) },
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
	maps.Copy(support, g.popularCodecs())
	return support
}

// popularCodecs returns the overrides of encoders and decoders of popular modules.
func (g functions) popularCodecs() map[string]any {
	return map[string]any{
		"YAMLNewEncoder": func(w io.Writer) *yaml.Encoder { return yaml.NewEncoder(unheldWriter{w}) },
		"YAMLNewDecoder": func(r io.Reader) *yaml.Decoder { return yaml.NewDecoder(unheldReader{r}) },
		"YAMLEncode":     func(e *yaml.Encoder, v any) error { return g.code(false, v, func() error { return e.Encode(v) }) },
		"YAMLDecode":     func(d *yaml.Decoder, v any) error { return g.code(true, v, func() error { return d.Decode(v) }) },
		"YAMLNodeEncode": func(n *yaml.Node, v any) error { return g.code(false, v, func() error { return n.Encode(v) }) },
		"YAMLNodeDecode": func(n *yaml.Node, v any) error { return g.code(true, v, func() error { return n.Decode(v) }) },
		"TOMLNewEncoder": func(w io.Writer) *toml.Encoder { return toml.NewEncoder(unheldWriter{w}) },
		"TOMLNewDecoder": func(r io.Reader) *toml.Decoder { return toml.NewDecoder(unheldReader{r}) },
		"TOMLEncode":     func(e *toml.Encoder, v any) error { return g.code(false, v, func() error { return e.Encode(v) }) },
		"TOMLDecodeAll": func(d *toml.Decoder, v any) (data toml.MetaData, err error) {
			err = g.code(true, v, func() error { data, err = d.Decode(v); return err })
			return data, err
		},
		"TOMLDecodeFile": func(path string, v any) (data toml.MetaData, err error) {
			err = g.code(true, v, func() error { data, err = toml.DecodeFile(path, v); return err })
			return data, err
		},
	}
}
