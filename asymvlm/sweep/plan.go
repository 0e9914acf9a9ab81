package sweep

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"gosphere/internal/userfile"
)

// A Plan is the content of a plan file.
type Plan struct {
	Dataset  string
	Split    string // split to train on, "train" by default
	Evaluate string // split to evaluate on; "" for the default of gosphere eval
	Methods  []string
	Seeds    string // in the format of gosphere train
	Fixed    Point  // common to all trainings
	Points   []Point
}

// A Setting is a flag of gosphere train with its value.
type Setting struct{ Flag, Value string }

// A Point holds the settings of a training in the order of the flags' names.
type Point []Setting

// String formats the settings separated by spaces, such as "hidden=64 lr=0.01".
func (p Point) String() string {
	texts := make([]string, len(p))
	for i, s := range p {
		texts[i] = s.Flag + "=" + s.Value
	}
	return strings.Join(texts, " ")
}

// Flags returns the settings as command-line flags.
func (p Point) Flags() []string {
	flags := make([]string, len(p))
	for i, s := range p {
		flags[i] = "--" + s.Flag + "=" + s.Value
	}
	return flags
}

// Value returns the value of a flag, or "" if the point does not set it.
func (p Point) Value(flag string) string {
	for _, s := range p {
		if s.Flag == flag {
			return s.Value
		}
	}
	return ""
}

// Folder returns a unique name for the files of the point: the settings separated by commas, or
// "all" for none, with characters that file systems reject replaced by % and two hexadecimal
// digits.
func (p Point) Folder() string {
	if len(p) == 0 {
		return "all"
	}
	var name strings.Builder
	for _, c := range []byte(strings.ReplaceAll(p.String(), " ", ",")) {
		if c < ' ' || c > '~' || strings.IndexByte(`/\:*?"<>|%`, c) >= 0 {
			fmt.Fprintf(&name, "%%%02x", c)
		} else {
			name.WriteByte(c)
		}
	}
	return name.String()
}

// Axes returns the names of the flags that vary between points, in order.
func (p *Plan) Axes() []string {
	if len(p.Points) == 0 {
		return nil
	}
	axes := make([]string, len(p.Points[0]))
	for i, s := range p.Points[0] {
		axes[i] = s.Flag
	}
	return axes
}

// file is the layout of a plan file.
type file struct {
	Dataset  string         `toml:"dataset"`
	Split    string         `toml:"split"`
	Evaluate string         `toml:"evaluate"`
	Method   any            `toml:"method"`
	Seeds    any            `toml:"seeds"`
	Flags    map[string]any `toml:"flags"`
	Grid     map[string]any `toml:"grid"`
	Random   struct {
		Draws  int              `toml:"draws"`
		Seed   uint64           `toml:"seed"`
		Values map[string]space `toml:"values"`
	} `toml:"random"`
}

// A space is the set that values of a flag are drawn from: a list, or an interval.
type space struct {
	Of      []any    `toml:"of"`
	From    *float64 `toml:"from"`
	To      *float64 `toml:"to"`
	Log     bool     `toml:"log"`     // the logarithm is uniform, not the number
	Integer bool     `toml:"integer"` // rounded
}

// Read reads a plan from a TOML file.
func Read(path string) (*Plan, error) {
	text, err := userfile.ReadFile(path, userfile.Source)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	plan, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("sweep: %s: %w", path, err)
	}
	return plan, nil
}

// mostPoints keeps a mistake from exhausting memory.
const mostPoints = 100000

// Parse parses a plan. Unknown keys, values of wrong types, flags that are set twice or that the
// sweep sets itself, empty lists and wrong ranges are errors that name the key. Parse does not
// check whether gosphere train accepts the flags; the command does.
func Parse(text []byte) (*Plan, error) {
	f := file{Dataset: "scenes_minilm", Split: "train", Method: "asymvlm-vmf", Seeds: "0"}
	read, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&f)
	if err != nil {
		return nil, err
	}
	if unknown := read.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("key %s is not known: want dataset, split, evaluate, method, seeds, and the tables flags, grid and random", unknown[0])
	}
	p := &Plan{Dataset: f.Dataset, Split: f.Split, Evaluate: f.Evaluate}
	if p.Methods, err = list("method", f.Method); err != nil {
		return nil, err
	}
	seeds, err := list("seeds", f.Seeds)
	if err != nil {
		return nil, err
	}
	p.Seeds = strings.Join(seeds, ",")
	if err := f.checkNames(); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(f.Flags)) {
		value, err := scalar(name, f.Flags[name])
		if err != nil {
			return nil, err
		}
		p.Fixed = append(p.Fixed, Setting{name, value})
	}
	p.Points, err = f.points()
	return p, err
}

// reserved maps flags of gosphere train that the sweep sets itself to the setting to use instead.
var reserved = map[string]string{
	"dataset": "dataset, above all tables", "method": "method, above all tables", "seeds": "seeds, above all tables", "seed": "seeds, above all tables",
	"split": "split, above all tables", "checkpoints": "--out of gosphere sweep", "embeddings": "--embeddings of gosphere sweep",
	"threads": "--threads of gosphere sweep", "resume": "nowhere: a sweep always goes on", "overwrite": "nowhere: a sweep always goes on",
}

// checkNames returns an error for flags that are set twice or that cannot be set in a plan.
func (f file) checkNames() error {
	seen := map[string]bool{}
	for _, names := range [][]string{slices.Sorted(maps.Keys(f.Flags)), slices.Sorted(maps.Keys(f.Grid)), slices.Sorted(maps.Keys(f.Random.Values))} {
		for _, name := range names {
			if place, there := reserved[name]; there {
				return fmt.Errorf("%s cannot be a flag of a plan; it belongs to: %s", name, place)
			}
			if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
				return fmt.Errorf("flag %q, want the name of a flag of gosphere train without its dashes", name)
			}
			if seen[name] {
				return fmt.Errorf("%s is set twice: a flag is in one of flags, grid and random", name)
			}
			seen[name] = true
		}
	}
	return nil
}

// points returns every combination of the grid with every draw.
func (f file) points() ([]Point, error) {
	points := []Point{nil}
	for _, name := range slices.Sorted(maps.Keys(f.Grid)) {
		values, err := list(name, f.Grid[name])
		if err != nil {
			return nil, err
		}
		var longer []Point
		for _, p := range points {
			for _, value := range values {
				longer = append(longer, append(slices.Clone(p), Setting{name, value}))
			}
		}
		if points = longer; len(points) > mostPoints {
			return nil, fmt.Errorf("grid: more than %d combinations", mostPoints)
		}
	}
	draws, err := f.draws()
	if err != nil || draws == nil {
		return points, err
	}
	if len(points)*len(draws) > mostPoints {
		return nil, fmt.Errorf("grid and random: more than %d combinations", mostPoints)
	}
	var all []Point
	for _, p := range points {
		for _, drawn := range draws {
			both := append(slices.Clone(p), drawn...)
			slices.SortFunc(both, func(a, b Setting) int { return strings.Compare(a.Flag, b.Flag) })
			if !slices.ContainsFunc(all, func(other Point) bool { return slices.Equal(both, other) }) {
				all = append(all, both)
			}
		}
	}
	return all, nil
}

// draws returns the drawn settings, or nil if nothing is drawn.
func (f file) draws() ([]Point, error) {
	names := slices.Sorted(maps.Keys(f.Random.Values))
	switch {
	case len(names) == 0 && f.Random.Draws == 0:
		return nil, nil
	case len(names) == 0:
		return nil, fmt.Errorf("random: %d draws of nothing; name the flags in the table random.values", f.Random.Draws)
	case f.Random.Draws < 1 || f.Random.Draws > mostPoints:
		return nil, fmt.Errorf("random: %d draws, want from 1 to %d", f.Random.Draws, mostPoints)
	}
	source, points := rand.New(rand.NewPCG(f.Random.Seed, 0)), make([]Point, f.Random.Draws)
	for i := range points {
		for _, name := range names {
			value, err := f.Random.Values[name].draw(name, source)
			if err != nil {
				return nil, err
			}
			points[i] = append(points[i], Setting{name, value})
		}
	}
	return points, nil
}

// draw returns a random value with three significant digits.
func (s space) draw(name string, source *rand.Rand) (string, error) {
	numbers := s.From != nil && s.To != nil
	switch {
	case len(s.Of) > 0 && s.From == nil && s.To == nil && !s.Log && !s.Integer:
		return scalar(name, s.Of[source.IntN(len(s.Of))])
	case len(s.Of) > 0 || !numbers:
		return "", fmt.Errorf("random: %s wants either of = [values], or from and to", name)
	case !(*s.From < *s.To) || math.IsInf(*s.From, 0) || math.IsInf(*s.To, 0) || s.Log && *s.From <= 0:
		return "", fmt.Errorf("random: %s from %g to %g, want a smaller and a larger number, above 0 with log", name, *s.From, *s.To)
	}
	x := *s.From + source.Float64()*(*s.To-*s.From)
	if s.Log {
		x = *s.From * math.Pow(*s.To / *s.From, source.Float64())
	}
	if s.Integer {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64), nil
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	return strconv.FormatFloat(rounded, 'g', -1, 64), err
}

// list returns the values of a key, which is a list or a single value.
func list(name string, value any) ([]string, error) {
	values, many := value.([]any)
	if !many {
		values = []any{value}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%s is an empty list, want at least one value", name)
	}
	var texts []string
	for _, v := range values {
		text, err := scalar(name, v)
		if err != nil {
			return nil, err
		}
		if slices.Contains(texts, text) {
			return nil, fmt.Errorf("%s has the value %s twice", name, text)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// scalar formats a string, a number or a boolean as a flag value.
func scalar(name string, value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", fmt.Errorf("%s is %v, want a text, a number, or true or false", name, value)
}
