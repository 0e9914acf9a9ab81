#!/bin/sh
# Tries the program of `make gpu` on a played card: the driver's library and cuBLAS are driver.cpp, where the kernels are
# compiled as C++, so that everything runs but a card. Compares a short training with the processor's, and looks at what is
# said when there is no GPU, an old one, or one that fails.
#
#	make card
set -eu
cd "$(dirname "$0")/../../../.."
program=$PWD/bin/gosphere-gpu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${CXX:-c++} -std=c++17 -O2 -fPIC -shared -o "$folder/libcuda.so.1" asymvlm/internal/cuda/testdriver/driver.cpp
ln -s libcuda.so.1 "$folder/libcublas.so.12"

train() { # device method
	hidden="--hidden 16"
	[ "$2" != elip-itc ] || hidden= # its width follows from the embeddings'
	"$program" train --device "$1" --dataset world --method "$2" $hidden --epochs 1 --batch 128 --checkpoints "$folder/$1" 2>&1
}
played() { LD_LIBRARY_PATH="$folder" "$@"; }
fail() {
	echo "try.sh: $*" >&2
	exit 1
}

for method in asymvlm-vmf asymvlm-psd determ-ft pcmepp prolip prolip-exact pfe probvlm probvlm-exact elip-itc; do
	want=$(train cpu $method | grep '^loss ') || fail "$method does not train on the processor"
	got=$(played train cuda $method | grep '^loss ') || fail "$method does not train"
	[ "$got" = "$want" ] || fail "$method: $got on the card, $want on the processor"
	echo "$method: $got on both"
done
# Probabilities by draws, with the numbers of the processor, rank alike.
"$program" train --device cpu --dataset world --method bayesvlm --batch 128 --checkpoints "$folder/cpu" > /dev/null 2>&1
draws() { "$program" eval --device "$1" --dataset world --method bayesvlm --checkpoints "$folder/cpu" --results "$folder/results" --predict montecarlo --draws 5 2>&1; }
want=$(draws cpu | grep ' to ')
got=$(played draws cuda | grep ' to ') || fail "bayesvlm does not draw"
[ "$got" = "$want" ] || fail "bayesvlm: $got on the card, $want on the processor"
echo "bayesvlm by draws:"
echo "$got"
for try in "PLAYED_CARDS=0|the NVIDIA driver sees no GPU" "PLAYED_MAJOR=7|compute capability 7.0, and the kernels need 7.5" \
	"PLAYED_LOST=400|the device was lost: the GPU failed"; do
	said=$(export "${try%%|*}"; played train cuda asymvlm-vmf || true)
	case $said in
	*"${try#*|}"*) echo "${try%%|*}: ${try#*|}" ;;
	*) fail "${try%%|*}: $said" ;;
	esac
done
said=$(train cuda asymvlm-vmf || true)
case $said in
*"libcuda.so.1 cannot be opened"*) echo "without a driver: libcuda.so.1 cannot be opened" ;;
*"loss "*) echo "this machine has a card" ;;
*) fail "without a driver: $said" ;;
esac
