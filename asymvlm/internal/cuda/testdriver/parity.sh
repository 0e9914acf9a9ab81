#!/bin/sh
# Compares the kernels with the processor's training, on a card that the processor plays: driver.cpp compiles them as C++ and runs
# blocks and threads as loops. The losses of every method that stays on the card must agree over 100 steps; then the card's side is
# tested with an error at every call of the driver and of cuBLAS.
#
#	make played
set -eu
cd "$(dirname "$0")/../../../.."
if ! command -v "${CXX:-c++}" > /dev/null; then
	echo "parity.sh: no C++ compiler, so the kernels are not tried as C++"
	exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${CXX:-c++} -std=c++17 -O2 -fPIC -shared -o "$folder/libcuda.so.1" asymvlm/internal/cuda/testdriver/driver.cpp
ln -s libcuda.so.1 "$folder/libcublas.so.12"
export LD_LIBRARY_PATH="$folder"
# Most of the output is times of parts, which mean nothing here.
for parity in "-parity-batch 8" "-parity-batch 33 -parity-steps 4" "-parity-batch 33 -parity-steps 3 none"; do
	cublas= # that of the folder, and once our own products
	[ "$parity" = "${parity% none}" ] || cublas=none
	GOSPHERE_CUBLAS=$cublas bin/bench-gpu -batch 8 -columns 16 -hidden 16 -replays 1 -parity-epochs 0 -epochs 1 -pairs 20 -tolerance 1e-4 ${parity% none} > "$folder/parity.md" || {
		cat "$folder/parity.md"
		exit 1
	}
	sed -n '1p; /largest distance/,/^$/p' "$folder/parity.md"
done
(cd asymvlm/gpu && ../../bin/card.test)
