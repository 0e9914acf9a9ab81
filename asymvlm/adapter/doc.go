// Package adapter trains and applies the AsymVLM adapter for a frozen vision-language model: a
// small network that maps the embedding of a text to a distribution over image embeddings, whose
// concentration measures how certain the text is about its image. The paper's ablations and
// baselines and the methods of the ELIP paper use the same training loop and checkpoint format.
//
// Read method.go first (the interface and the table of methods), then the file of a method,
// options.go (training options), train.go (the training loop), adapter.go (scores and
// uncertainties) and checkpoint.go. Each method and its variants have one file, named after the id.
// Its comment contains formulas, tables, errata and defaults, and names the parts of package nn
// that implement them.
//
//	asymvlm_vmf.go  asymvlm_psd.go  asymvlm_image.go  asymvlm_gauss.go  symvlm.go  determ_ft.go  clip.go
//	pfe.go  pcmepp.go  probvlm.go  prolip.go  bayesvlm.go  elip.go  clip_ensemble.go
//	residual.go
//
// Adding a method requires one file.
//
//	train, test, err := embedding.Scenes()
//	options, err := adapter.DefaultOptions("asymvlm-vmf")
//	a, err := adapter.Train(ctx, train, options)
//	report, err := a.Evaluate(test, 10)
//	scores, err := a.Scores(test)
//	uncertainty, err := a.Uncertainty(test.Texts)
//
// Set options.Loss to replace the method's loss by a Go function with its derivatives (package
// custom) or by a graph (package graph). The methods clip and bayesvlm minimize no loss and do not
// accept one.
//
// Training is deterministic: the same set, options and kind of CPU produce the same bits, whether
// or not the training was stopped and resumed, and with any number of threads.
package adapter
