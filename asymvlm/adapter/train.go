package adapter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/tracking"
	"gosphere/internal/beside"
)

// Train trains an adapter on a set. Every epoch visits each caption once, in random order, with its
// image, or with one of its images that is drawn anew in each epoch. In a batch, all other images
// that a text describes count as right for it, too: InfoNCE compares the softmax of a text with the
// uniform distribution over its right images, and that of an image with its right texts, weighted
// by one over their numbers of images; SigLIP's loss and those of PCME++ and ProLIP count these
// pairs as right; and PFE, ProbVLM and BayesVLM have no wrong pairs. ELIP's evidential loss and
// user-defined losses have one right candidate, so they are refused for such sets.
//
// If ctx ends or the progress returns an error, training stops before its next step, writes the
// checkpoint if one is named, and returns the partly trained adapter together with the error. With
// a nil error the adapter is complete.
//
// With Options.MatchLengths, images that all have norm 1 are multiplied by the mean norm of the
// texts, in training and in every later use. Networks on the images need it: for unit inputs their
// output depends on little more than their biases, and symvlm stays at chance. The outputs of
// encoders have norms of 5 to 11.
//
// A quantity that is not finite is an error that names the step and the quantity; the last
// checkpoint is not changed.
func Train(ctx context.Context, train *embedding.Set, options Options) (*Adapter, error) {
	if err := options.Check(); err != nil {
		return nil, err
	}
	if err := train.Check(); err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	ops, err := device.Default()
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	method, _ := Lookup(options.Method) // cannot fail: Check has looked it up
	options.Method = method.About().ID
	if err := options.checkIdle(method); err != nil {
		return nil, err
	}
	if !method.About().Trained {
		return untrained(ops, train, options)
	}
	if options.Precision == "" {
		if options.Precision, err = device.DefaultPrecision(); err != nil {
			return nil, fmt.Errorf("adapter: %w", err)
		}
	}
	shared := ops
	cpu, err := options.processor(shared)
	if err != nil {
		return nil, err
	}
	if cpu != nil {
		defer cpu.Close()
		ops = cpu
	}
	t, err := newTraining(ops, train, options)
	if err != nil {
		return nil, err
	}
	progress := options.progress()
	progress.Begin("training "+options.Method, t.steps)
	if _, isCPU := shared.(*device.CPU); options.Threads > 0 && !isCPU && cpu == nil {
		note(progress, fmt.Sprintf("%d threads ignored: the device %s does not use CPU threads", options.Threads, shared.Name()))
	}
	if err := t.holdOut(ctx, train, progress); err != nil {
		progress.End(err)
		return nil, err
	}
	a, err := t.run(ctx, progress)
	if err == nil && a.Temperature() < 0 {
		err = fmt.Errorf("%w: it is %.3g with seed %d and learning rate %g; another seed or a smaller learning rate helps",
			ErrMirrored, a.Temperature(), options.Seed, options.LearningRate)
	}
	if err == nil {
		err = notImproved(a)
	}
	if err == nil {
		err = collapsed(a)
	}
	progress.End(err)
	if a != nil && ops != shared {
		// The device of the training is closed on return, so the adapter moves to the shared one.
		if moved, merr := a.on(shared); merr == nil {
			a = moved
		} else if err == nil {
			err = merr
		}
	}
	return a, err
}

// holdOut measures the held-out likelihood if the options ask for it and the checkpoint that is
// resumed has none.
func (t *training) holdOut(ctx context.Context, train *embedding.Set, progress Progress) (err error) {
	if !t.options.HeldOut || t.adapter.heldOut != nil || t.adapter.history.Steps() >= t.steps {
		return nil
	}
	t.adapter.heldOut, err = HeldOutOf(ctx, train, t.options)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("adapter: stopped before the first step: %w", context.Cause(ctx))
	case err != nil: // the training itself may end well, and has its own errors
		note(progress, fmt.Sprintf("whether the pairs suffice to learn an uncertainty was not measured: %v", err))
	case t.adapter.heldOut.TooFew():
		note(progress, t.adapter.heldOut.String())
	}
	return nil
}

// processor returns a separate CPU for a training that needs another number of threads or another
// precision than the shared device, and nil if the shared device is suitable.
func (o Options) processor(shared device.Device) (*device.CPU, error) {
	_, isCPU := shared.(*device.CPU)
	switch {
	case o.Precision == device.BFloat16 && !isCPU:
		return nil, fmt.Errorf("adapter: precision %s requires the CPU, but the device is %s; choose the device %s or the precision %s",
			o.Precision, shared.Name(), device.NameCPU, device.Float32)
	case o.Precision == device.BFloat16, isCPU && o.Threads > 0:
		cpu, err := device.NewCPUWith(o.Threads, o.Precision)
		if err != nil {
			return nil, fmt.Errorf("adapter: %w", err)
		}
		return cpu, nil
	}
	return nil, nil
}

// ErrMirrored reports that a training ended with a negative temperature. The temperature is a plain
// trainable scalar, as in the paper's reference implementation, and multiplies the log-likelihoods
// in the loss only. If a large learning rate makes it negative, the network learns the mirror
// image, and retrieval, which ranks without the temperature, fails. Train returns the adapter with
// this error.
var ErrMirrored = errors.New("adapter: the training ended with a negative temperature, so that the adapter ranks backwards")

// ErrCollapsed reports that the concentrations of a residual adapter ended far below their start,
// after a training by a user-defined loss or from another first temperature than the method's. They
// then say how often a text is retrieved, and not how certain it is; the recall does not depend on
// them. Train returns the adapter with this error. A training with a validation set has none,
// because its measurements see the order.
var ErrCollapsed = errors.New("adapter: the concentrations of the training collapsed, so that they do not order queries")

// collapsed returns ErrCollapsed for a training whose κ is too small, see firstConcentration.
func collapsed(a *Adapter) error {
	o, concentrations := a.options, a.history.MeanConcentration
	if m, ok := find(o.Method).(learned); !ok || !headed(m, a.shape) || o.Validation != nil || o.Loss == nil && o.FirstTemperature == 0 || len(concentrations) == 0 {
		return nil
	}
	last := concentrations[len(concentrations)-1]
	if last >= firstConcentration/10 {
		return nil
	}
	return fmt.Errorf("%w: the mean κ began at %d and is %.3g, with a temperature of %.3g; a first temperature of at most %g, "+
		"with which the loss begins as that of the method, a smaller learning rate than %g, or more pairs help",
		ErrCollapsed, firstConcentration, last, a.Temperature(), float64(nn.FirstSharpness)/firstConcentration, o.LearningRate)
}

// A training is the state of a training between steps. Every batch is determined by the seed and
// the number of completed steps, so a checkpoint needs no random generator state.
type training struct {
	adapter  *Adapter
	options  Options
	schedule nn.CosineSchedule
	gatherer *batchLoader
	perEpoch int     // steps
	steps    int     // total
	unit     [2]bool // by nn.Side: all rows have length 1
	finished bool    // the checkpoint file holds this training complete; no earlier step may replace it

	ops       device.Device
	residence device.DeviceTraining // the training on a device that runs whole steps, or nil
	curves    tracking.Writer
}

func newTraining(ops device.Device, train *embedding.Set, options Options) (*training, error) {
	shape := Shape{Dimension: train.Images.Columns, Pairs: train.Texts.Rows, Batch: min(options.Batch, train.Texts.Rows), Revision: aboutOf(options.Method).Revision}
	if shape.Batch == 1 { // the same rule as for a requested batch of 1
		single := options
		single.Batch = 1
		if err := single.Check(); err != nil {
			return nil, err
		}
	}
	if err := checkPositives(options, train); err != nil {
		return nil, err
	}
	whole := train
	layers, err := onLayers(options, train)
	if err != nil {
		return nil, err
	}
	if layers {
		options.Posterior.Layers = LayersFeatures
		options.Label += onLayersNote
		shape.Layers, train = layerShapes(whole), layerInputs(whole)
	}
	if err := checkTemperature(options.Loss); err != nil {
		return nil, err
	}
	checksum, err := ChecksumOf(train)
	if err != nil {
		return nil, err
	}
	if options.Validation, err = options.Validation.on(train, checksum); err != nil {
		return nil, err
	}
	a, err := newAdapter(ops, options, shape)
	if err != nil {
		return nil, err
	}
	a.checksum = checksum
	if layers {
		a.takeLayers(whole)
		if a.checksum, err = layerChecksum(whole); err != nil {
			return nil, err
		}
	}
	lengths, err := lengthsOf(train)
	if err != nil {
		return nil, err
	}
	for _, side := range []nn.Side{nn.Images, nn.Texts} {
		if row := slices.Index(lengths[side], 0); row >= 0 {
			return nil, fmt.Errorf("adapter: %ss: row %d has no direction", sideNames[side], row)
		}
	}
	g := newGatherer(train, options, shape.Batch)
	t := &training{adapter: a, options: options, gatherer: g, unit: [2]bool{allUnit(lengths[0]), allUnit(lengths[1])}, perEpoch: g.perEpoch, steps: g.steps, ops: ops, curves: tracking.None}
	a.stretch = stretches(lengths, options)
	a.learner.CenterNorms(scaled(lengths[nn.Texts], float64(a.stretch[nn.Texts])))
	t.schedule = nn.CosineSchedule{Initial: options.LearningRate, Final: options.FinalRate, Steps: t.steps, WarmUp: options.WarmUp}
	if options.WarmUp >= t.steps && options.WarmUp > 0 {
		return nil, fmt.Errorf("adapter: warm-up of %d steps in a training of %d", options.WarmUp, t.steps)
	}
	if all := g.perEpoch * options.Epochs; options.Steps > all {
		return nil, fmt.Errorf("adapter: %d steps of a training whose %d epochs have %d; raise Epochs", options.Steps, options.Epochs, all)
	}
	a.history.StepsPerEpoch = g.perEpoch
	if err := t.openCheckpoint(); err != nil {
		return nil, err
	}
	a.history.reserve(t.steps)
	return t, nil
}

// openCheckpoint reads the state of an earlier training from the checkpoint, if that is asked for,
// and makes sure that the file can be written after the steps.
func (t *training) openCheckpoint() error {
	a, options := t.adapter, t.options
	there, err := checkCheckpoint(options.Checkpoint)
	if err != nil {
		return err
	}
	switch {
	case there && options.Resume:
		err = a.resume(options.Checkpoint)
	case there && !options.Overwrite:
		t.finished, err = a.spare(options.Checkpoint, t.steps)
	}
	if err != nil || options.Checkpoint == "" || t.finished {
		return err
	}
	bytes := a.checkpointBytes(t.steps)
	if err := beside.Room(options.Checkpoint, bytes); err != nil {
		return fmt.Errorf("adapter: the checkpoint %s, of about %.1f MB, cannot be written: %w", options.Checkpoint, float64(bytes)/1e6, err)
	}
	return nil
}

// checkTemperature returns an error for a user-defined loss whose temperature does not begin above
// 0.
func checkTemperature(loss custom.Loss) error {
	if loss == nil {
		return nil
	}
	for _, n := range loss.Numbers() {
		if n.Name == custom.Temperature && !(n.First > 0) {
			return fmt.Errorf("adapter: the number %s of loss %q begins at %g, and is the temperature of the adapter, which is above 0; give another number another name",
				n.Name, loss.Name(), n.First)
		}
	}
	return nil
}

// onLayersNote is appended to the schedule of a training on last layers.
const onLayersNote = ", last layers"

// checkCheckpoint creates the folder of a checkpoint and reports whether the checkpoint exists. It
// returns an error for a path that cannot be written, before the first step runs.
func checkCheckpoint(path string) (there bool, err error) {
	if path == "" {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("adapter: checkpoint %s: %w", path, err)
	}
	file, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("adapter: checkpoint %s: %w", path, err)
	case file.IsDir():
		return false, fmt.Errorf("adapter: checkpoint %s is a folder", path)
	}
	return true, nil
}

// run runs the remaining steps and writes their curves.
func (t *training) run(ctx context.Context, progress Progress) (a *Adapter, err error) {
	if t.options.Curves != "" || t.options.Events != "" {
		var closing func() error
		if closing, err = t.track(); err != nil {
			return nil, fmt.Errorf("adapter: %w", err)
		}
		defer func() { err = errors.Join(err, closing()) }()
	}
	return t.steppedOn(ctx, progress)
}

// steppedOn runs the remaining steps.
func (t *training) steppedOn(ctx context.Context, progress Progress) (*Adapter, error) {
	h := &t.adapter.history
	t.gatherer.stretch = t.adapter.stretch // the checkpoint's, if training is resumed
	for _, text := range t.ineffective() {
		note(progress, text)
	}
	if text := t.tooShort(); text != "" {
		note(progress, text)
	}
	residence, why, err := t.reside()
	if err != nil {
		return nil, err
	}
	if why != "" {
		note(progress, fmt.Sprintf("%s is trained on the CPU, with only large matrix products on %s: %s", t.options.Method, t.ops.Name(), why))
	}
	if residence != nil {
		defer residence.Close()
		t.residence = residence
		return t.runResident(ctx, progress)
	}
	if err := t.measure(); err != nil {
		return nil, err
	}
	next, stop := t.gatherer.start(h.Steps())
	defer stop()
	for h.Steps() < t.steps && !t.adapter.impatient() {
		if ctx.Err() != nil {
			return t.stop(context.Cause(ctx))
		}
		step := h.Steps()
		update, err := t.step(step, next())
		if err != nil {
			return nil, fmt.Errorf("adapter: step %d of %d: %w; %s", step+1, t.steps, err, t.kept())
		}
		h.add(update)
		if err := t.advance(progress, update); err != nil {
			return t.stop(err)
		}
		if t.checkpointDue(step) {
			if err := t.save(); err != nil {
				return nil, err
			}
		}
	}
	return t.end()
}

// A measureError is an error from measuring the validation set. It makes the training fail instead
// of stopping it.
type measureError struct{ error }

func (e measureError) Unwrap() error { return e.error }

// advance measures the validation set if that is due, and reports a step that is in the history.
func (t *training) advance(progress Progress, update Update) error {
	if err := t.measure(); err != nil {
		return measureError{err}
	}
	if n := len(t.adapter.measured); n > 0 {
		update.Validation = &t.adapter.measured[n-1]
	}
	if steps := t.adapter.history.Steps(); steps%t.perEpoch == 0 {
		if err := t.curves.Write(t.adapter.point(steps / t.perEpoch)); err != nil {
			return err
		}
	}
	return progress.Advance(update)
}

// checkpointDue reports whether a checkpoint is due after a step, counted from 0.
func (t *training) checkpointDue(step int) bool {
	epochs, within := (step+1)/t.perEpoch, (step+1)%t.perEpoch
	every := t.options.CheckpointEvery
	if t.options.Validation != nil && (step+1 == t.steps || t.adapter.impatient()) {
		return false // end writes it, with the best weights
	}
	return step+1 == t.steps || within == 0 && every > 0 && epochs%every == 0
}

// kept describes the checkpoint that remains after a failed training.
func (t *training) kept() string {
	if t.options.Checkpoint == "" {
		return "no checkpoint was asked for"
	}
	if _, err := os.Stat(t.options.Checkpoint); err != nil {
		return "no checkpoint was written before it"
	}
	return "the last checkpoint, " + t.options.Checkpoint + ", is kept"
}

// lengthsOf returns the norms of the rows of a set, by nn.Side.
func lengthsOf(set *embedding.Set) (lengths [2][]float64, err error) {
	sides := set.Sides()
	if lengths[nn.Images], err = sides[0].Norms(); err == nil {
		lengths[nn.Texts], err = sides[1].Norms()
	}
	if err != nil {
		return lengths, fmt.Errorf("adapter: %w", err)
	}
	return lengths, nil
}

// stretches returns the factors on raw texts and images for the options, by nn.Side, from the norms
// of the rows.
func stretches(lengths [2][]float64, options Options) [2]float32 {
	factors := [2]float32{1, 1}
	texts := lengths[nn.Texts]
	length := 0.0
	for _, l := range texts {
		length += l
	}
	length /= float64(len(texts))
	if options.TextLength > 0 && allUnit(texts) {
		length = options.TextLength
		factors[nn.Texts] = float32(length)
	}
	if options.MatchLengths && allUnit(lengths[nn.Images]) {
		factors[nn.Images] = float32(length)
	}
	return factors
}

// scaled returns the numbers multiplied by a factor.
func scaled(numbers []float64, factor float64) []float64 {
	list := make([]float64, len(numbers))
	for i, x := range numbers {
		list[i] = factor * x
	}
	return list
}

// allUnit reports whether all norms are 1, within the rounding of unit vectors stored in few bits.
func allUnit(lengths []float64) bool {
	return !slices.ContainsFunc(lengths, func(l float64) bool { return math.Abs(l-1) > 1e-3 })
}

// step runs one step, counted from 0, on its batch.
func (t *training) step(step int, b *batch) (seen Update, err error) {
	defer device.CatchDeviceError(&err)
	if b.err != nil {
		return Update{}, b.err
	}
	if t.options.MaskSameImage {
		if err := t.adapter.learner.MaskSameImage(b.pairImages[:b.rows]); err != nil {
			return Update{}, err
		}
	}
	if err := t.adapter.learner.SetPositives(b.positives); err != nil {
		return Update{}, err
	}
	rate := t.rate(step)
	texts, images := b.texts.RowRange(0, b.rows), b.images.RowRange(0, b.rows)
	t.adapter.learner.SetEpoch(step/t.perEpoch + 1)
	result, err := t.adapter.learner.Step(nn.Matrix(texts), nn.Matrix(images), rate)
	return t.update(step, result, rate.Rate, b.rows), err
}

// rate returns the rate of a step, counted from 0.
func (t *training) rate(step int) device.Rate {
	return device.Rate{Rate: t.schedule.Rate(step), Momentum: t.options.Momentum, WeightDecay: t.options.WeightDecay}
}

// update returns the progress update of a step, counted from 0.
func (t *training) update(step int, result nn.StepResult, rate float64, pairs int) Update {
	return Update{
		Step: step + 1, Steps: t.steps, Epoch: step/t.perEpoch + 1, Epochs: t.options.Epochs,
		Loss: result.Loss, Temperature: result.Temperature, MeanConcentration: result.MeanConcentration,
		LearningRate: rate, Pairs: pairs,
	}
}

// stop ends a training early and returns the partly trained adapter with the cause.
func (t *training) stop(cause error) (*Adapter, error) {
	if failed := (measureError{}); errors.As(cause, &failed) {
		return nil, failed.error
	}
	if err := t.save(); err != nil {
		return t.adapter, fmt.Errorf("%w (stopped by %w)", err, cause)
	}
	kept := "no checkpoint was asked for"
	switch {
	case t.finished:
		kept = t.options.Checkpoint + " holds all steps as before"
	case t.options.Checkpoint != "":
		kept = t.options.Checkpoint + " resumes it"
	}
	return t.adapter, fmt.Errorf("adapter: stopped after step %d of %d, %s: %w", t.adapter.history.Steps(), t.steps, kept, cause)
}

// save writes the checkpoint if one is named.
func (t *training) save() error {
	if err := t.fetch(); err != nil {
		return err
	}
	if t.options.Checkpoint == "" || t.finished && t.adapter.history.Steps() < t.steps {
		return nil
	}
	return t.adapter.write(t.options.Checkpoint, true)
}

// Checksum returns a hexadecimal SHA-256 of the parts of a set that training and evaluation depend
// on: shapes, values and the caption-to-image table. The name, the words and the encoders' last
// layers are not included. Rows in files have the same checksum as rows in memory. Checksum panics
// if such a file can no longer be read; ChecksumOf returns the error instead.
func Checksum(set *embedding.Set) string {
	sum, err := ChecksumOf(set)
	if err != nil {
		panic(err)
	}
	return sum
}

// ChecksumOf is like Checksum for sets whose rows may be in files. It returns an error if a file
// can no longer be read.
func ChecksumOf(set *embedding.Set) (string, error) {
	return embedding.Checksum(flattened(set), set.Sides()[0], set.Sides()[1])
}

// layerChecksum returns the checksum of the inputs, weights and biases that training on last layers
// depends on.
func layerChecksum(set *embedding.Set) (string, error) {
	var parts []*embedding.Stored
	for _, l := range sidesOf(set) {
		for _, m := range []embedding.Matrix{l.Inputs, l.Weights, {Rows: 1, Columns: len(l.Bias), Values: l.Bias}} {
			parts = append(parts, embedding.InMemory(m))
		}
	}
	return embedding.Checksum(set.CaptionImages, parts...)
}
