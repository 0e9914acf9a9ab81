# The GPU side: kernels, builds with the tag gpu, and their checks. internal/testing/checks.mk includes this file.

CUDA := .venv/cuda

.PHONY: kernels trainer card played

kernels: $(CUDA)/done ## compile the kernels to PTX, and assemble it for three generations of GPUs as a check
	$(CUDA)/bin/python asymvlm/internal/cuda/kernels/make.py
	@assembler=$$(ls $(CUDA)/lib/python*/site-packages/nvidia/cuda_nvcc/bin/ptxas); chmod +x $$assembler; \
	for gpu in sm_75 sm_80 sm_90; do echo "assemble $$gpu"; \
		$$assembler -arch=$$gpu --warn-on-spills -o /dev/null asymvlm/internal/cuda/kernels/kernels.ptx || exit 1; done

# The headers come from a wheel. libcuda is our own shim, which opens the driver's library at run time, so neither CUDA nor
# a GPU is needed to build, and the program runs without them.
HEADERS = $(CUDA)
# The folder is named by a checksum of the shim's sources, because Go's cache keys a link by its flags and not by the files.
SHIM := bin/shim/$(shell cat asymvlm/internal/cuda/shim/* | cksum | tr ' ' -)
GPUBUILD = CGO_ENABLED=1 CGO_LDFLAGS=-L$(CURDIR)/$(SHIM) \
	CGO_CFLAGS=-I$$(ls -d $(CURDIR)/$(HEADERS)/lib/python*/site-packages/nvidia/cuda_runtime/include) $(GO)

$(SHIM)/libcuda.a: asymvlm/internal/cuda/shim/libcuda.c asymvlm/internal/cuda/shim/symbols.h
	@rm -rf bin/shim && mkdir -p $(SHIM)
	$(CC) -O2 -Wall -fPIC -c -o $(SHIM)/libcuda.o $<
	$(AR) rcs $@ $(SHIM)/libcuda.o


trainer: $(SHIM)/libcuda.a $(CUDA)/done ## build bin/gosphere-gpu, as make gpu does
	$(GPUBUILD) vet -tags gpu . ./asymvlm/gpu ./asymvlm/internal/cuda/measure
	$(GPUBUILD) build -tags gpu -trimpath -ldflags "-s -w" -o bin/gosphere-gpu .
	$(GPUBUILD) build -tags gpu -trimpath -ldflags "-s -w" -o bin/bench-gpu ./asymvlm/internal/cuda/measure

card: trainer ## run bin/gosphere-gpu on a GPU that the CPU emulates (needs a C++ compiler)
	sh asymvlm/internal/cuda/testdriver/try.sh

played: HEADERS = $(VENV)
played: $(SHIM)/libcuda.a $(VENV)/done ## vet and link the GPU code against the shim, and compare its kernels as C++ with the CPU
	$(GPUBUILD) vet -tags gpu ./asymvlm/gpu ./asymvlm/internal/cuda/measure
	$(GPUBUILD) build -tags gpu -trimpath -ldflags "-s -w" -o bin/bench-gpu ./asymvlm/internal/cuda/measure
	$(GPUBUILD) test -tags gpu -c -o bin/card.test ./asymvlm/gpu
	sh asymvlm/internal/cuda/testdriver/parity.sh

$(CUDA)/done: asymvlm/internal/cuda/kernels/requirements.txt
	$(PYTHON) -m venv $(CUDA)
	$(CUDA)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r asymvlm/internal/cuda/kernels/requirements.txt
	@touch $@
