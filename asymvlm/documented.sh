#!/bin/sh
# Runs the commands of the documents with the schedule of the number of pairs on three kinds of sets: a synthetic world, text
# against text, and pictures against captions where the pairs of COCO lie beside the checkout, in folds and as a folder that
# import makes. It fails if a method that the documents recommend ends below the recall without training without a
# warning that says so, or if a training stops without saying why.
#
#     sh asymvlm/documented.sh PROGRAM     (make documented)
set -eu
case $1 in /*) program=$1 ;; *) program=$(pwd)/$1 ;; esac
pairs=$(pwd)/../shared/data/coco500_clip_vitb16/features_clip.npy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
methods=asymvlm-vmf-residual,asymvlm-psd-residual

# judge NAME LOG fails if a recall that is below that without training has no warning in the log.
judge() {
	"$program" table --dataset "$1" ${3:+--split "$3"} --method $methods >table.txt
	sed -n '1,12p' table.txt
	for method in asymvlm-vmf-residual asymvlm-psd-residual; do
		if grep -q "^$method[†‡°]*\*" table.txt && ! grep -q "warning: .*$method.*recall@1 is below" "$2"; then
			echo "$1: $method is below zero shot, and nothing says so" >&2
			exit 1
		fi
	done
	grep "warning:" "$2" || true
}

for data in world scenes_minilm; do
	echo "== $data"
	"$program" train --dataset $data --schedule auto --validation 0.2 --patience 5 --method $methods >train.txt 2>train.log
	"$program" eval --dataset $data --method $methods --ci --calibrate val >eval.txt 2>eval.log
	judge $data eval.log
	if grep -q "too few pairs" train.log; then
		echo "$data: 6,400 pairs are called too few" >&2
		exit 1
	fi
done
if [ -f "$pairs" ]; then
	echo "== 500 pairs of COCO, in folds"
	cp "$pairs" pairs.npy
	"$program" crossval --dataset pairs.npy --method $methods >crossval.txt 2>crossval.log
	judge pairs.npy crossval.log folds
	grep -q "too few pairs" crossval.log || { echo "nothing says that 400 pairs are too few" >&2; exit 1; }

	echo "== 500 pairs of COCO, imported into a folder"
	"$program" import coco pairs.npy
	"$program" embed-info --dataset coco
	for options in "" "--validation 0.2 --patience 5"; do
		# The training with validation may end where it began; it says so and fails, and eval measures what it has.
		if ! "$program" train --dataset coco --overwrite --method $methods $options >train.txt 2>train.log; then
			grep "so that nothing was learned" train.log || { cat train.log >&2; exit 1; }
		fi
		"$program" eval --dataset coco --method $methods --ci >eval.txt 2>eval.log
		judge coco eval.log
	done
	"$program" vectors --dataset coco --method asymvlm-vmf-residual --texts texts.npy --images images.npy
	"$program" search images.npy texts.npy --by product -k 3 -o found.csv
fi
echo "all documented commands ended at or above zero shot or said why not"
