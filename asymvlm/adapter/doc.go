// Package adapter trains and applies what the AsymVLM paper puts on a frozen vision-language model: a small network
// that turns the embedding of a text into a distribution over image embeddings, whose concentration tells how certain
// the text is about its image. It does the same for the paper's ablations and baselines and for the methods of the ELIP
// paper, by the same loop and with the same checkpoints.
//
// Read method.go first (the interface, and the table of all methods), then the file of a method, options.go (what a training
// can be told), train.go (the loop), adapter.go (scores and uncertainties) and checkpoint.go. Every method has one file, named
// after its id, with its variants: formulas, tables, errata and defaults are in its comment, and the mathematics in the parts of
// package nn that the comment names.
//
//	asymvlm_vmf.go  asymvlm_psd.go  asymvlm_image.go  asymvlm_gauss.go  symvlm.go  determ_ft.go  clip.go
//	pfe.go  pcmepp.go  probvlm.go  prolip.go  bayesvlm.go  elip.go  clip_ensemble.go
//
// A new method is one file more and one line in the table.
//
//	train, test, err := embedding.Scenes()
//	options, err := adapter.DefaultOptions("asymvlm-vmf")
//	a, err := adapter.Train(ctx, train, options)
//	report, err := a.Evaluate(test, 10)
//	scores, err := a.Scores(test)
//	uncertainty, err := a.Uncertainty(test.Texts)
//
// A loss of one's own takes the place of the method's by options.Loss: a Go function with its derivatives (package custom)
// or a graph (package graph). Only clip and bayesvlm, which descend no loss, take none.
//
// Training is deterministic: the same set, options and kind of processor give the same bits, whether the training ran
// through or was stopped and resumed, and with any number of threads.
package adapter
