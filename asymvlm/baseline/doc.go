// Package baseline measures uncertainties that need no training, with which every learned
// uncertainty should be compared.
//
// All of them rank by the cosines of the given embeddings, so they have the same recall, and differ
// in the order of the queries from certain to uncertain:
//
//	rows, err := baseline.Evaluate(data.Test, 10)
//	rows                            // a table
//	rows.TextToImage().Method       // the best one, such as baseline.Entropy
//
// The uncertainties are computed for texts and for images as queries:
//
//	norm            minus the norm of the raw embedding of the query
//	max-cosine      minus the cosine of the query and its best item
//	margin          minus the difference between the first two cosines
//	entropy         entropy of the softmax of the cosines at the encoder's temperature
//	caption-length  minus the number of characters of the caption; an image has that of its best caption
//	log-sum-exp     minus the log of the sum of the exponentials of the cosines over that temperature
//
// Norm and caption-length are properties of a query. The other four depend on the gallery and cost
// a search; a concentration κ that is learned is a property of the text, and is known before any
// search.
//
// Compare puts trained methods beside them. Classify measures the same quantities of images that
// choose among classes:
//
//	c, err := baseline.Compare(data.Test, 10, baseline.Trained{Name: "vMF", Reports: reports})
//	c.Finding()                     // which of them have the smallest AURC
package baseline
