#!/bin/sh
# Looks at a card for the first time, in two or three minutes, and downloads nothing: what is installed, what the program says
# of it, whether small trainings of every method and draws agree with the processor by cuBLAS and by our own products, and whether
# NVIDIA's compute-sanitizer, where there is one, finds a wrong access, a race, a barrier that not all threads reach, or a read
# of what nobody wrote. Goes on after a failure, takes 540 seconds at most or CARD_SECONDS, and ends with the number of failures.
#
#	make gpu && sh bench/card.sh
set -u
cd "$(dirname "$0")/.."
failed=0 end=$(($(date +%s) + ${CARD_SECONDS:-540}))
try() { # what, seconds, command
	what=$1 seconds=$2 begin=$(date +%s)
	shift 2
	[ "$seconds" -lt $((end - begin)) ] || seconds=$((end - begin))
	if [ "$seconds" -le 0 ]; then
		failed=$((failed + 1))
		echo "FAILED (no time): $what"
		return
	fi
	if timeout "$seconds" "$@" > "$log" 2>&1; then
		echo "ok: $what, $(($(date +%s) - begin)) s"
	else
		status=$? failed=$((failed + 1))
		echo "FAILED ($status): $what"
		tail -n 25 "$log" | sed 's/^/    /'
	fi
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

command -v nvidia-smi > /dev/null && nvidia-smi --query-gpu=name,driver_version,compute_cap,memory.total,compute_mode --format=csv,noheader
ldconfig -p 2> /dev/null | grep -E 'libcuda\.so|libcublas\.so|ptxjitcompiler' || echo "the loader's cache has no library of NVIDIA; LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}"
ls -d /usr/local/nvidia/lib64/libcuda.so* /usr/local/nvidia/lib64/libnvidia-ptxjitcompiler.so* 2> /dev/null
[ ! -x bin/gosphere-gpu ] || bin/gosphere-gpu doctor | grep -i -E 'gpu|device'

# Sizes around those of tiles, and a tolerance for sums in another order.
small="-batch 33 -columns 16 -hidden 40 -replays 2 -parity-epochs 0 -epochs 1 -pairs 80 -parity-batch 33 -parity-steps 20 -tolerance 1e-3"
try "small trainings by cuBLAS" 120 bin/bench-gpu $small
head -n 1 "$log"
try "small trainings by our own products" 60 env GOSPHERE_CUBLAS=none bin/bench-gpu $small
try "trainings of the usual width, 10 steps" 120 bin/bench-gpu -batch 512 -replays 2 -parity-epochs 0 -epochs 1 -pairs 2000 -parity-steps 10 -tolerance 1e-3
grep '^|' "$log" | head -n 40
try "the same by our own products" 120 env GOSPHERE_CUBLAS=none bin/bench-gpu -batch 512 -replays 2 -parity-epochs 0 -epochs 1 -pairs 2000 -parity-steps 10 -tolerance 1e-3
try "TF32" 60 env GOSPHERE_CUDA_PRECISION=tf32 bin/bench-gpu -parity=false -batch 512 -replays 2 -epochs 1 -pairs 2000

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer /usr/local/cuda*/compute-sanitizer/compute-sanitizer 2> /dev/null | head -n 1)
if [ -n "$sanitizer" ]; then
	# No part by itself: the steps have them all, and each recording costs the sanitizer time.
	tiny="-batch 33 -columns 16 -hidden 40 -replays 0 -parity-epochs 0 -epochs 1 -pairs 40 -parity-batch 33 -parity-steps 1"
	for tool in memcheck racecheck synccheck initcheck; do
		try "$tool" 90 env GOSPHERE_CUBLAS=none "$sanitizer" --tool $tool --error-exitcode 9 bin/bench-gpu $tiny
	done
else
	echo "no compute-sanitizer is installed"
fi
echo "$failed failures"
exit $failed
