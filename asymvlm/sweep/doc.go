// Package sweep reads plans of many trainings: the data, methods and seeds, and the values of
// flags. The command gosphere sweep runs a plan, each training in a process of its own.
//
//	dataset = "world"
//	method = ["asymvlm-vmf", "asymvlm-psd"]
//	seeds = "0..2"
//
//	[flags]                # of gosphere train, the same in all trainings
//	schedule = "small"
//	validation = 0.2
//
//	[grid]                 # every combination
//	lr = [0.01, 0.03, 0.1]
//	hidden = [64, 256]
//
//	[random]               # 10 draws, each with every combination of the grid
//	draws = 10
//	seed = 0
//	[random.values]
//	weight-decay = {from = 1e-5, to = 1e-2, log = true}
//
// In a cell, Run does the trainings of a Study in the process of the session, several at once, and
// reports progress:
//
//	rates, err := sweep.Flag("lr", 0.01, 0.03, 0.1)
//	result, err := sweep.Run(ctx, sweep.Study{Train: data.Train, Test: data.Test,
//		Methods: []string{"asymvlm-vmf"}, Axes: []sweep.Axis{rates}})
package sweep
