// Package ood measures how well an uncertainty detects out-of-distribution queries: the areas and
// rates by which detectors are compared, and the histograms of ELIP's figure 5. Out-of-distribution
// (strange) queries are the positive class; a query is flagged if its uncertainty is at least the
// threshold.
//
//	detection, err := ood.Detect(ordinary, shifted)
//	fmt.Println(detection.AUROC, detection.AUPR, detection.FPR95)
//
// Any measure that is larger for stranger queries can be used. ELIP's u = M/S depends on the number
// of candidates M, so both lists must come from galleries of one size.
package ood
