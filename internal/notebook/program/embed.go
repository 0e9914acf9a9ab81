package program

import (
	"fmt"
	"go/types"
	"path"
	"strings"

	"gosphere/runtime/goembed"
)

// findEmbeds finds the variables of the cell that have go:embed directives. The program has the
// directives before its package variables, and the files beside main.go.
func (c *cellWriter) findEmbeds() error {
	list, err := goembed.OfCell(c.checked.Cell, c.checked.Info, c.tree)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		c.names.importForEffects("embed") // Go requires it, cells do not
	}
	c.embeds = map[types.Object]goembed.Variable{}
	for _, e := range list {
		for _, pattern := range e.Patterns {
			pattern = strings.TrimPrefix(pattern, "all:")
			for _, name := range []string{"main.go", "go.mod", "go.sum", OwnFolder} {
				if own, _ := path.Match(pattern, name); own {
					return fmt.Errorf("go:embed %s matches %s, a file of the program; name the files that are meant", pattern, name)
				}
			}
		}
		c.embeds[e.Var] = e
		for _, name := range e.Names() {
			c.files[name] = e.Files[name]
		}
		for _, directive := range e.Directives {
			c.text.replace(directive.Pos(), directive.End(), "")
		}
	}
	return nil
}
