// Package ood measures how well an uncertainty tells queries of another kind than those a method was trained on
// (out of distribution) from ordinary ones: the areas and rates by which detectors are compared, and the histograms of
// ELIP's figure 5. The queries of the other kind are the positive class; a query is flagged when its uncertainty is at
// least the threshold.
//
//	detection, err := ood.Detect(ordinary, shifted)
//	fmt.Println(detection.AUROC, detection.AUPR, detection.FPR95)
//
// Any measure works that is larger for stranger queries. ELIP's u = M/S depends on the number of candidates M, so
// both lists must come from galleries of one size.
package ood
