// Package sweep reads plans of many trainings: the data, methods and seeds, and the values of
// flags. It does not train; the command gosphere sweep runs a plan.
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
package sweep
