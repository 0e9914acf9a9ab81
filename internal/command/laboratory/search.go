package laboratory

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/command/process"
	"gosphere/internal/userfile"
)

// Search is the subcommand that finds the nearest rows of one file for each row of another.
type Search struct {
	Gallery string            `arg:"" help:"File of the rows to search: .npy, .npz or .safetensors. A float32 .npy file is read from disk as needed." type:"path"`
	Queries string            `arg:"" help:"File of the query rows." type:"path"`
	K       process.Positive  `short:"k" name:"top" help:"Number of rows per query (default: 10)." placeholder:"N"`
	By      retrieval.Measure `help:"Similarity: cosine, or product for vectors written by gosphere vectors." enum:"cosine,product" default:"cosine"`
	Ids     string            `help:"File with a name for each row of the gallery: one per line, or a JSON list such as captions.json." type:"path" placeholder:"FILE"`
	Output  string            `short:"o" help:"Output file (default: standard output)." type:"path" placeholder:"FILE"`

	process.Compute
}

// Run searches and writes a CSV table.
func (s Search) Run() error { return s.run(os.Stdout) }

func (s Search) run(stdout io.Writer) error {
	gallery, err := readRows(s.Gallery)
	if err != nil {
		return err
	}
	queries, err := readRows(s.Queries)
	if err != nil {
		return err
	}
	var ids []string
	if s.Ids != "" {
		if ids, err = readNames(s.Ids); err != nil {
			return err
		}
		if len(ids) != gallery.Rows {
			return fmt.Errorf("%s has %d names, %s %d rows", s.Ids, len(ids), s.Gallery, gallery.Rows)
		}
	}
	depth := int(s.K)
	if depth == 0 {
		depth = 10
	}
	found, err := retrieval.Nearest(queries, gallery, depth, s.By)
	if err != nil {
		return err
	}
	if s.Output == "" {
		return writeNeighbors(stdout, found, ids)
	}
	var text strings.Builder
	if err := writeNeighbors(&text, found, ids); err != nil {
		return err
	}
	return userfile.Write(s.Output, []byte(text.String()))
}

// writeNeighbors writes a line for each rank of each query.
func writeNeighbors(w io.Writer, found *retrieval.Neighbors, ids []string) error {
	out := csv.NewWriter(w)
	header := []string{"query", "place", "row", "score"}
	if ids != nil {
		header = append(header, "id")
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for i, item := range found.Items {
		line := []string{strconv.Itoa(i / found.Depth), strconv.Itoa(i%found.Depth + 1), strconv.Itoa(int(item)), strconv.FormatFloat(float64(found.Scores[i]), 'g', 6, 32)}
		if ids != nil {
			line = append(line, ids[item])
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// readRows reads a file that contains a single matrix.
func readRows(path string) (embedding.Matrix, error) {
	arrays, err := embedding.ReadArrays(path)
	if err != nil {
		return embedding.Matrix{}, err
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		if len(arrays[name].Shape) == 2 {
			names = append(names, name)
		}
	}
	if len(names) != 1 {
		return embedding.Matrix{}, fmt.Errorf("%s has %d matrices %q among %d arrays, want a single one", path, len(names), names, len(arrays))
	}
	m, err := arrays[names[0]].Matrix()
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// readNames reads a list of strings: as JSON, or one per line.
func readNames(path string) ([]string, error) {
	text, err := userfile.ReadFile(path, userfile.Source)
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		var names []string
		if err := json.Unmarshal(text, &names); err != nil {
			return nil, fmt.Errorf("%s: want a list of texts: %w", path, err)
		}
		return names, nil
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	if len(text) == 0 {
		return nil, errors.New(path + "  is empty, want one name per line")
	}
	return lines, nil
}
