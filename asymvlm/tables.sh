#!/bin/sh
# Trains and evaluates every method on the built-in data with seeds 0 to 4, cross-validates on 500 pairs of COCO where
# their file lies beside the checkout, and writes the tables into asymvlm/RESULTS.md. Finished trainings are kept below
# .tables and not done again.
#
#     sh asymvlm/tables.sh PROGRAM     (make tables)
set -eu
program=$1
work=.tables
pairs=../shared/data/coco500_clip_vitb16/features_clip.npy
page=asymvlm/RESULTS.md
mkdir -p $work

# insert NAME FILE puts a file between the lines "<!-- NAME -->" and "<!-- end -->" of the page.
insert() {
	awk -v begin="<!-- $1 -->" -v file="$2" '
		$0 == begin { print; print ""; while ((getline line < file) > 0) print line; skip = 1 }
		$0 == "<!-- end -->" { skip = 0 }
		!skip { print }' $page >$work/page && cp $work/page $page
}

# A training that ends mirrored or stops at NaN is told by train and by the table; the others go on.
for data in world scenes_minilm; do
	$program train --dataset $data --schedule small --method all --seeds 0..4 --every 100 --resume \
		--checkpoints $work/checkpoints || echo "some trainings of $data failed, see above" >&2
	$program eval --dataset $data --method all --seeds 0..4 --checkpoints $work/checkpoints --results $work/results \
		>$work/eval.log || echo "some evaluations of $data failed" >&2
	$program table --dataset $data --results $work/results --format markdown >$work/$data.md
	insert $data $work/$data.md
done

# The methods of the AsymVLM paper's first table, elip, and the residual adapters.
data=world_elliptical
few=clip,determ-ft,asymvlm-vmf,asymvlm-psd,pfe,pcmepp,prolip,probvlm,bayesvlm,elip,asymvlm-vmf-residual,asymvlm-psd-residual,determ-ft-residual
$program train --dataset $data --schedule small --method $few --seeds 0..4 --every 100 --resume --checkpoints $work/checkpoints
$program eval --dataset $data --method $few --seeds 0..4 --checkpoints $work/checkpoints --results $work/results >$work/eval.log
$program table --dataset $data --method $few --results $work/results --format markdown >$work/$data.md
insert $data $work/$data.md

if [ -f $pairs ]; then
	$program crossval --dataset $pairs --schedule small --text-length 9 --match-lengths --epochs 40 --batch 64 \
		--method clip,asymvlm-vmf,asymvlm-psd,determ-ft,pfe,pcmepp,prolip,probvlm,bayesvlm --seeds 0..4 \
		--results $work/results >$work/crossval.log
	$program crossval --dataset $pairs --schedule small --epochs 40 --batch 64 \
		--method asymvlm-vmf-residual,asymvlm-psd-residual,determ-ft-residual --seeds 0..4 \
		--results $work/results >>$work/crossval.log
	$program table --dataset $pairs --split folds --results $work/results --format markdown >$work/coco500.md
	insert coco500 $work/coco500.md
fi
