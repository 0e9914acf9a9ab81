package adapter

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/encoder/weights"
	"gosphere/asymvlm/nn"
)

// A renaming maps a name in the state of a PyTorch module to the name of a parameter.
type renaming struct {
	from *regexp.Regexp
	to   string
}

// released lists the names in the checkpoints of AsymVLM's reference implementation by method.
var released = map[string][]renaming{
	AsymVLMVonMisesFisher:      asymmetricNames,
	AsymVLMPowerSpherical:      asymmetricNames,
	AsymVLMVonMisesFisherExact: asymmetricNames,
	PFE: {
		{regexp.MustCompile(`^(text|image)_adaptor\.logvar\.(\d+\.(?:weight|bias))$`), "$1.$2"},
	},
	PCMEpp: append([]renaming{
		{regexp.MustCompile(`^loss_func\.negative_scale$`), "a"},
		{regexp.MustCompile(`^loss_func\.shift$`), "b"},
	}, gaussianNames...),
	ProLIP:      gaussianNames,
	ProLIPExact: gaussianNames,
	ProbVLM: {
		{regexp.MustCompile(`^txt_BayesCap\.mod\.([02]\.\w+)$`), "text.trunk.$1"},
		{regexp.MustCompile(`^img_BayesCap\.mod\.([02]\.\w+)$`), "image.trunk.$1"},
		{regexp.MustCompile(`^txt_BayesCap\.mod\.5\.(\w+)$`), "text.trunk.4.$1"}, // 4 is a dropout there
		{regexp.MustCompile(`^img_BayesCap\.mod\.5\.(\w+)$`), "image.trunk.4.$1"},
		{regexp.MustCompile(`^txt_BayesCap\.block_(mu|beta)\.([02]\.\w+)$`), "text.head_$1.$2"},
		{regexp.MustCompile(`^img_BayesCap\.block_(mu|beta)\.([02]\.\w+)$`), "image.head_$1.$2"},
		{regexp.MustCompile(`^txt_BayesCap\.block_alpha\.([02]\.\w+)$`), "text.head_q.$1"},
		{regexp.MustCompile(`^img_BayesCap\.block_alpha\.([02]\.\w+)$`), "image.head_q.$1"},
	},
}

var asymmetricNames = []renaming{
	{regexp.MustCompile(`^text_adaptor\.etta\.(\d+\.(?:weight|bias))$`), "text.$1"},
	{regexp.MustCompile(`^text_adaptor\.temperature$`), "tau"},
}

var gaussianNames = []renaming{
	{regexp.MustCompile(`^txt_enc\.logvar\.(\d+\.(?:weight|bias))$`), "text.$1"},
	{regexp.MustCompile(`^img_enc\.logvar\.(\d+\.(?:weight|bias))$`), "image.$1"},
}

// ImportableMethods lists the methods whose checkpoints Import reads.
func ImportableMethods() []string {
	var ids []string
	for _, id := range Methods() {
		if released[id] != nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Import reads a checkpoint of AsymVLM's reference implementation: a file of torch.save with the
// state of asymvlm-vmf, asymvlm-psd, pfe, pcmepp, prolip or probvlm. If the method is empty, it is
// the name of the file without .pt, as that program names its files. Sizes follow from the tensors.
// The adapter has no history; its seed and data are unknown. Save writes it for Load.
//
// A method that is not among ImportableMethods, a tensor that is missing, unknown or of another
// shape, and a file that is no plain zip of tensors are errors that name the file and the tensor.
func Import(path, method string) (*Adapter, error) {
	if method == "" {
		method = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	names := released[method]
	if names == nil {
		return nil, fmt.Errorf("adapter: %s: method %q, want one of %s", path, method, strings.Join(ImportableMethods(), ", "))
	}
	w, err := weights.Open(path)
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	from := map[string]string{} // names in the file by parameter
	for _, name := range w.Names() {
		i := slices.IndexFunc(names, func(r renaming) bool { return r.from.MatchString(name) })
		if i < 0 {
			return nil, fmt.Errorf("adapter: %s: tensor %q does not belong to %s", path, name, method)
		}
		from[names[i].from.ReplaceAllString(name, names[i].to)] = name
	}
	options, shape, err := importedSizes(w, from, method)
	if err != nil {
		return nil, fmt.Errorf("adapter: %s: %w", path, err)
	}
	options.Label = "imported from " + filepath.Base(path)
	ops, err := device.Default()
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	a, err := newAdapter(ops, options, shape)
	if err != nil {
		return nil, fmt.Errorf("adapter: %s: %w", path, err)
	}
	for _, p := range a.learner.Parameters() {
		if err := importTensor(w, from, p); err != nil {
			return nil, fmt.Errorf("adapter: %s: %w", path, err)
		}
		delete(from, p.Name)
	}
	for parameter, name := range from {
		return nil, fmt.Errorf("adapter: %s: tensor %q (%s) does not belong to %s of this depth", path, name, parameter, method)
	}
	return a, nil
}

// importedSizes returns the options and sizes of a network from the shapes of its tensors.
func importedSizes(w *weights.Weights, from map[string]string, method string) (Options, Shape, error) {
	options, err := PaperOptions(method)
	if err != nil {
		return options, Shape{}, err
	}
	first := "text.0.weight"
	if method == ProbVLM {
		first = "text.trunk.0.weight"
	}
	sizes := w.Shape(from[first])
	if len(sizes) != 2 {
		return options, Shape{}, fmt.Errorf("no tensor of the first layer of the texts' network, want that of %s", method)
	}
	options.Hidden = sizes[0]
	if method != ProbVLM {
		options.HiddenLayers = -1
		for from[fmt.Sprintf("text.%d.weight", 2*(options.HiddenLayers+1))] != "" {
			options.HiddenLayers++
		}
	}
	return options, Shape{Dimension: sizes[1], Batch: inferenceBatch}, nil
}

// importTensor copies a tensor of the file into a parameter. PyTorch modules store some scalars as
// vectors of one value.
func importTensor(w *weights.Weights, from map[string]string, p nn.Parameter) error {
	name := from[p.Name]
	if name == "" {
		return fmt.Errorf("no tensor for the parameter %s", p.Name)
	}
	shape := p.Shape
	if own := w.Shape(name); len(shape) == 0 && len(own) == 1 && own[0] == 1 {
		shape = own
	}
	values, err := w.Tensor(name, shape...)
	if err == nil {
		copy(p.Values, values)
	}
	return err
}
