//go:build !js

package override_test

import (
	"io"
	"testing"

	"github.com/BurntSushi/toml"
	"gopkg.in/yaml.v3"

	"gosphere/runtime/internal/override"
	"gosphere/runtime/internal/override/popular"
)

func TestMapsAreFreeWhilePopularEncodersWait(t *testing.T) {
	f := popular.Codecs(override.ToolsOfTests())
	t.Run("yaml", func(t *testing.T) {
		override.EncodeBesideWriter(t, func(w io.Writer, v any) error {
			return f["YAMLEncode"].(func(*yaml.Encoder, any) error)(f["YAMLNewEncoder"].(func(io.Writer) *yaml.Encoder)(w), v)
		})
	})
	t.Run("toml", func(t *testing.T) {
		override.EncodeBesideWriter(t, func(w io.Writer, v any) error {
			return f["TOMLEncode"].(func(*toml.Encoder, any) error)(f["TOMLNewEncoder"].(func(io.Writer) *toml.Encoder)(w), v)
		})
	})
}
