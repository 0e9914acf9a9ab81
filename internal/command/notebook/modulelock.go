package notebook

import (
	"path/filepath"

	"gosphere/internal/notebook/imports"
	"gosphere/internal/notebook/run"
	"gosphere/kernel/nbformat"
)

// A lockable session uses the module versions that a notebook has stored.
type lockable interface {
	LockModules(requires, sums []string, only bool)
	ModuleLock() (requires, sums []string)
}

// lockModules passes the modules in the metadata of a notebook to a session. The returned function
// stores the versions and checksums of the run in the metadata, under gosphere.modules.
func lockModules(session run.Session, notebook *nbformat.Notebook, only bool) (store func()) {
	s, ok := session.(lockable)
	if !ok {
		return func() {}
	}
	own, _ := notebook.Metadata["gosphere"].(map[string]any)
	if requires, sums := imports.Stored(notebook); len(requires) > 0 || only {
		s.LockModules(requires, sums, only)
	}
	return func() {
		requires, sums := s.ModuleLock()
		if len(requires) == 0 {
			return
		}
		if own == nil {
			own = map[string]any{}
		}
		own["modules"] = map[string]any{"require": list(requires), "sums": list(sums)}
		notebook.Metadata["gosphere"] = own
	}
}

// importFrom makes imports of a session relative to the folder of a file, as they are in Jupyter,
// whatever the working directory is. Standard input has no folder.
func importFrom(session run.Session, file string) error {
	s, ok := session.(interface{ ImportFrom(dir string) })
	if !ok || file == "-" {
		return nil
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err == nil {
		s.ImportFrom(dir)
	}
	return err
}

// list converts strings to a list as metadata represent it.
func list(texts []string) (out []any) {
	for _, text := range texts {
		out = append(out, text)
	}
	return out
}
