// Package asymvlm is the landing page of a laboratory for uncertainty in vision-language retrieval.
// Its packages train and evaluate small adapters that turn the caption embedding of a frozen
// encoder into a probability density over image embeddings, so that vague captions can be
// distinguished from precise ones. They implement AsymVLM, the methods of the ELIP, ProLIP, PCME++,
// ProbVLM and BayesVLM papers, and the measures by which these papers compare them. The package
// itself declares nothing. All packages are plain Go libraries: none of them needs a notebook,
// Python or cgo.
//
// # Packages by task
//
// Data:
//
//   - [gosphere/asymvlm/dataset] opens data sets by name or folder.
//   - [gosphere/asymvlm/embedding] reads, checks and writes cached embeddings of images and texts.
//   - [gosphere/asymvlm/world] generates data of known ambiguity.
//   - [gosphere/asymvlm/encoder] computes embeddings with CLIP, SigLIP and sentence encoders.
//   - [gosphere/asymvlm/corruption] damages photographs and captions in degrees of severity.
//
// Training:
//
//   - [gosphere/asymvlm/adapter] trains, applies and stores all methods; most programs start here.
//   - [gosphere/asymvlm/nn] has the networks, losses and optimizers, with hand-written gradients.
//   - [gosphere/asymvlm/custom] lets a program train with its own loss.
//   - [gosphere/asymvlm/graph] has the losses as computation graphs, as a check of the gradients.
//   - [gosphere/asymvlm/device] and [gosphere/asymvlm/internal/cuda] do the arithmetic on CPUs and GPUs.
//   - [gosphere/asymvlm/tracking] and [gosphere/asymvlm/sweep] log curves and plan many trainings.
//
// Densities and uncertainties:
//
//   - [gosphere/asymvlm/sphere] has von Mises–Fisher and power spherical densities.
//   - [gosphere/asymvlm/gaussian] has the measures of Gaussian embeddings.
//   - [gosphere/asymvlm/evidence] has the evidential measures of ELIP.
//   - [gosphere/asymvlm/laplace] has BayesVLM's posterior of the encoders' last layers.
//   - [gosphere/asymvlm/special] has the special functions that these need.
//
// Evaluation:
//
//   - [gosphere/asymvlm/retrieval] measures recall, recall by uncertainty level, S and R².
//   - [gosphere/asymvlm/baseline] measures uncertainties that need no training.
//   - [gosphere/asymvlm/calibration] measures whether an uncertainty can be acted on.
//   - [gosphere/asymvlm/ood] measures the detection of out-of-distribution queries.
//   - [gosphere/asymvlm/zeroshot] classifies images by the texts of the classes.
//   - [gosphere/asymvlm/hierarchy] measures chains of captions from general to specific.
//   - [gosphere/asymvlm/published] has the numbers of the papers, for comparison.
//   - [gosphere/asymvlm/export] writes densities as vectors for search engines.
//
// # Conventions
//
// Matrices are dense and row-major, with one embedding per row. N is the number of images, M the
// number of texts, and D the width of an embedding. Matrices of scores have images as rows and
// texts as columns, and larger scores are better. Of equal scores the lowest index wins.
//
// Embeddings and weights are float32; densities, losses and measures are computed in float64.
// Log-likelihoods, entropies and divergences are in nats, recalls and accuracies are fractions
// between 0 and 1 unless their documentation says percent, and an uncertainty is larger for vaguer
// inputs.
//
// Functions return errors for data that they cannot use, such as NaN, rows of norm 0 and shapes
// that do not match. An error begins with the name of the package and names the file, the row and
// the value. Only mistakes of the program panic, such as an index out of range or a destination
// slice of the wrong length. Methods with a dst argument allocate it when it is nil.
//
// Random numbers depend on an explicit seed or source. Equal options and seeds produce equal
// results on one machine.
package asymvlm
