#!/bin/sh
# Measures training on an NVIDIA card, in one go of less than ten minutes, and downloads nothing: parity of losses over 100
# steps and of S and R2 with the processor for every method that stays on the card, the time of every part of a step against
# its bound, the paper's 200 epochs on embeddings of COCO's size, and PyTorch beside it where there is one. Prints Markdown.
# Nothing new is begun when the time ends; what is left out is said.
#
#	make gpu && sh bench/gpu.sh > results.md
#
# bin/bench-gpu comes from `make gpu`, on any machine with a C compiler. PYTHON names an interpreter with PyTorch; cuBLAS is that
# of GOSPHERE_CUBLAS, of the loader, of PyTorch's wheels or of a toolkit. On a card that is new to you, run bench/card.sh before.
set -eu
begin=$(date +%s)
left() { echo $((${GPU_SECONDS:-585} - $(date +%s) + begin)); } # of the seconds in all
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
if [ ! -x bin/bench-gpu ]; then
	echo "gpu.sh: there is no bin/bench-gpu; make it by make gpu" >&2
	exit 1
fi
command -v nvidia-smi > /dev/null && nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,power.limit --format=csv,noheader | sed 's/^/- /'

# Of wheels that the program does not find by itself; the loader's own come after them.
if command -v "$PYTHON" > /dev/null; then
	wheels=$("$PYTHON" -c 'import glob, sys
print(":".join(f for place in sys.path for f in sorted(glob.glob(place + "/nvidia/cu1?/lib") + glob.glob(place + "/nvidia/cublas/lib"))))' || true)
	export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}${LD_LIBRARY_PATH:+${wheels:+:}}$wheels"
fi

torch=no
command -v "$PYTHON" > /dev/null && "$PYTHON" -c 'import torch; assert torch.cuda.is_available()' 2> /dev/null && torch=yes
[ $torch = yes ] || printf -- '- no PyTorch that sees the card: its columns are missing\n'

failed=0
for precision in fp32 tf32; do
	printf '\n# %s\n\n' $precision
	parity=true seconds=$(($(left) * 6 / 10)) # PyTorch and the other precision want the rest
	if [ $precision = tf32 ]; then
		parity=false seconds=$(($(left) / 2)) # TF32 rounds to 10 bits; parity is asked of float32
	fi
	# One side that fails, for want of a compiler say, must not take the rest along.
	GOSPHERE_CUDA_PRECISION=$precision timeout $((seconds + 60)) bin/bench-gpu -parity=$parity -limit 60s -within ${seconds}s || failed=1
	[ $torch = no ] || timeout $(($(left) / 2)) "$PYTHON" bench/gpu_peer.py $precision || printf -- '- PyTorch failed, or its time was over\n'
done
exit $failed
