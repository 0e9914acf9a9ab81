package tracking

import "errors"

// files writes every point to several writers.
type files []Writer

// None is a Writer that writes nothing.
var None Writer = files(nil)

// Files returns a writer of JSON lines and of TensorBoard event files; an empty path omits one. It
// returns the errors of Lines and Events.
func Files(lines, events string) (Writer, error) {
	var list files
	for _, file := range []struct {
		open func(path string) (Writer, error)
		path string
	}{{Lines, lines}, {Events, events}} {
		if file.path == "" {
			continue
		}
		w, err := file.open(file.path)
		if err != nil {
			return nil, errors.Join(err, list.Close())
		}
		list = append(list, w)
	}
	return list, nil
}

// Write writes a point to all files, up to the first error.
func (f files) Write(p Point) error {
	for _, w := range f {
		if err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// Close closes all files.
func (f files) Close() error {
	var failed []error
	for _, w := range f {
		failed = append(failed, w.Close())
	}
	return errors.Join(failed...)
}
