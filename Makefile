# gosphere: a Jupyter kernel and scripting environment for Go.
# Every target has a text behind ##; `make help` prints them.

GO     ?= go
PYTHON ?= python3
VENV   := .venv/conformance
TORCH  := .venv/training
CUDA   := .venv/cuda
FUZZ_SECONDS ?= 60
PROGRAMS ?= index own-losses teaching/* reproduction/asymvlm/figure-5 reproduction/prolip/table-3-prompts
BINARY := bin/gosphere$(shell $(GO) env GOEXE)

export CGO_ENABLED = 0

.DEFAULT_GOAL := help
.PHONY: help build quickstart install test times large race check cross lint generated shown programs examples custom golden symbols kernels gpu card played notebooks tables bench conformance nbclient look soak fuzz release site clean

help: ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## (.*)/  \1	\2/' | expand -t 16

build: ## build the static binary bin/gosphere
	@mkdir -p bin
	$(GO) build -trimpath -ldflags "-s -w" -o $(BINARY) .

install: build ## build, and install the kernelspec for this user
	$(BINARY) install --user

quickstart: install ## build, install the kernelspec, run the quickstart notebook headless and show where the result is
	$(BINARY) run notebooks/quickstart.ipynb -o quickstart-result.ipynb
	@echo
	@echo "The executed notebook is $(CURDIR)/quickstart-result.ipynb"
	@echo "Open it with: jupyter lab quickstart-result.ipynb   (kernel: Go (gosphere))"

test: ## run all fast tests
	$(GO) test -vet=all ./...

times: ## run all fast tests anew and print which packages and which tests take longest
	-$(GO) test -count=1 -json ./... | $(GO) run ./conformance/times

large: ## run what is too slow for the tests or measures time: full stacks, large steps on an emulated card, growth beside compiled Go
	GOSPHERE_LARGE=1 $(GO) test -count=1 -run 'StackOverflow|StepsOfManyTurns|GrowAsTheyDo' ./internal/runtime/session ./asymvlm/cuda

# Whole sessions are not played under the detector: their cells race on purpose, sessions of several tests share the streams of
# the process, and yaegi 0.16.1 evaluates the next cell's skeleton while those of other shells run. So internal/testing/examples, which
# plays whole sessions too, is left to `make examples`.
# internal/runtime/gotest runs package testing inside the test process, whose own flags it sets and gives back.
race: ## run the tests of the packages that start goroutines or lock, with the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -short -vet=off -timeout 30m -run HelpIsGiven ./internal/runtime/session
	CGO_ENABLED=1 $(GO) test -race -short -vet=off -timeout 30m \
		$$(git grep -lE '^\s+go (func\(|[a-z][A-Za-z.]*\()|"sync(/atomic)?"' -- asymvlm kernel notebooks runtime ':!*_test.go' ':!*/testdata/*' | \
			grep -vE '/(session|difference|examples|gotest|symbols|card)/' | xargs -n1 dirname | sort -u | sed 's|^|./|')

# make test vets what this machine builds.
lint: ## gofmt, staticcheck, vet of the assembly for arm64, and actionlint for the workflows
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "not gofmt-ed: $$unformatted"; exit 1; fi
	GOARCH=arm64 $(GO) vet ./asymvlm/device ./asymvlm/nn ./asymvlm/retrieval
	$(GO) tool staticcheck ./...
	$(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

cross: build ## build without cgo for Linux, macOS and Windows on amd64 and arm64, this machine's by make build
	@for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
		[ $$target != $$($(GO) env GOOS)/$$($(GO) env GOARCH) ] || continue; \
		echo "build $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build -o bin/cross/ . || exit 1; \
	done; rm -rf bin/cross

generated: ## test that making the generated files again changes nothing
	GOSPHERE_GENERATE=1 $(GO) test ./internal/runtime/symbols/generate ./internal/licenses ./internal/notebook/thumbnails

custom: ## build a program with a module of its own and run a cell with it
	GOSPHERE_BUILD=1 $(GO) test -run ACustomProgram -v ./internal/command/machine

shown: build ## run every notebook again and compare what it shows with what is stored
	$(BINARY) check notebooks

examples: ## play the examples of Go's own packages and the preloaded modules as cells; they must print what they promise
	EXAMPLES= $(GO) test -run PrintWhatTheyPromise -v ./internal/testing/examples

programs: ## build the programs of lessons and some papers' notebooks; they must show what is stored (PROGRAMS='*' tries all)
	GOSPHERE_PROGRAMS="$(PROGRAMS)" $(GO) test -timeout 60m -run ProgramsShow -v ./internal/notebook/program

check: lint generated shown programs examples large race cross custom ## everything that is slower than the tests: format, staticcheck, notebooks and their programs, examples, race detector, cross builds

golden: ## rewrite the golden images of the figures
	$(GO) test ./plotting/... -update

symbols: ## make the symbol tables and type information of the preloaded packages again
	$(GO) generate ./internal/runtime/symbols

kernels: $(CUDA)/done ## compile the kernels of the GPU to PTX, and assemble that for cards of three generations as a check
	$(CUDA)/bin/python asymvlm/cuda/kernels/make.py
	@assembler=$$(ls $(CUDA)/lib/python*/site-packages/nvidia/cuda_nvcc/bin/ptxas); chmod +x $$assembler; \
	for card in sm_75 sm_80 sm_90; do echo "assemble $$card"; \
		$$assembler -arch=$$card --warn-on-spills -o /dev/null asymvlm/cuda/kernels/kernels.ptx || exit 1; done

# The headers come from a wheel; libcuda is our own, which opens the driver's at run time, so neither CUDA nor a card is
# needed to build, and the program runs without them.
HEADERS = $(CUDA)
# The folder is named by what our libcuda is made from: Go's cache knows the flags of a link, not the files behind them.
SHIM := bin/shim/$(shell cat asymvlm/cuda/shim/* | cksum | tr ' ' -)
GPUBUILD = CGO_ENABLED=1 CGO_LDFLAGS=-L$(CURDIR)/$(SHIM) \
	CGO_CFLAGS=-I$$(ls -d $(CURDIR)/$(HEADERS)/lib/python*/site-packages/nvidia/cuda_runtime/include) $(GO)

$(SHIM)/libcuda.a: asymvlm/cuda/shim/libcuda.c asymvlm/cuda/shim/symbols.h
	@rm -rf bin/shim && mkdir -p $(SHIM)
	$(CC) -O2 -Wall -fPIC -c -o $(SHIM)/libcuda.o $<
	$(AR) rcs $@ $(SHIM)/libcuda.o

gpu: $(SHIM)/libcuda.a $(CUDA)/done ## build bin/gosphere-gpu, which can train on NVIDIA cards (needs a C compiler)
	$(GPUBUILD) vet -tags gpu . ./asymvlm/cuda/card ./bench/gpu
	$(GPUBUILD) build -tags gpu -trimpath -ldflags "-s -w" -o bin/gosphere-gpu .
	$(GPUBUILD) build -tags gpu -trimpath -ldflags "-s -w" -o bin/bench-gpu ./bench/gpu

card: gpu ## try bin/gosphere-gpu on a card that the processor plays (needs a C++ compiler)
	sh conformance/card/try.sh

played: HEADERS = $(VENV)
played: $(SHIM)/libcuda.a $(VENV)/done ## vet and link the GPU's side against a libcuda of our own, and compare its kernels as C++ with the processor
	$(GPUBUILD) vet -tags gpu ./asymvlm/cuda/card ./bench/gpu
	$(GPUBUILD) build -tags gpu -trimpath -ldflags "-s -w" -o bin/bench-gpu ./bench/gpu
	$(GPUBUILD) test -tags gpu -c -o bin/card.test ./asymvlm/cuda/card
	sh conformance/card/parity.sh

$(CUDA)/done: asymvlm/cuda/kernels/requirements.txt
	$(PYTHON) -m venv $(CUDA)
	$(CUDA)/bin/python -m pip install --quiet --disable-pip-version-check -r asymvlm/cuda/kernels/requirements.txt
	@touch $@

notebooks: build ## run the committed notebooks again and store the outputs of the cells that show something else
	$(BINARY) check --update notebooks
	$(GO) run ./internal/notebook/thumbnails

tables: build ## train every method on the built-in data and write the tables of asymvlm/RESULTS.md 
	sh asymvlm/tables.sh $(BINARY)

bench: $(VENV)/done $(TORCH)/done ## compare speeds side by side: training with OpenBLAS and PyTorch, cells with yaegi, Go and CPython
	$(GO) run ./bench -python $(TORCH)/bin/python
	$(GO) test ./bench -run none -bench "Cells|Latency|Debugged|Requests" -benchtime 1x -ipykernel $(CURDIR)/$(VENV)/bin/python

$(TORCH)/done: bench/requirements.txt
	$(PYTHON) -m venv $(TORCH)
	$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	@touch $@

$(VENV)/done: conformance/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r conformance/requirements.txt
	@touch $@

conformance: build played $(VENV)/done ## try the kernel with jupyter_kernel_test, nbclient, nbconvert, papermill, JupyterHub and a gateway, and the GPU's side without a card
	$(VENV)/bin/python conformance/run.py --binary $(BINARY)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r conformance/hub-requirements.txt
	$(VENV)/bin/python conformance/hub.py --binary $(BINARY)

nbclient: build $(VENV)/done ## run every notebook with nbclient and compare what it shows with what is stored (NOTEBOOKS="quickstart teaching/*" runs these)
	$(VENV)/bin/python conformance/notebooks.py --binary $(BINARY) $(if $(NOTEBOOKS),$(foreach n,$(NOTEBOOKS),"$(n)"))

look: build $(VENV)/done ## run every notebook in JupyterLab in a browser and keep pictures of the pages in bin/pictures (needs Chromium)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check playwright==1.65.2
	$(VENV)/bin/python conformance/look.py --binary $(BINARY) --out bin/pictures

soak: ## run 100,000 cells while clients join and leave, one is stuck and one floods; memory must stay as it is
	$(GO) test ./conformance -run Soak -soak 100000 -timeout 6h -v

fuzz: ## compare random programs as cells and compiled, then run each fuzz target for a short while
	$(GO) test ./internal/testing/difference -run TestCellsMeanWhatCompiledGoMeans -v -timeout 90m -seconds $(FUZZ_SECONDS) -seed $$(date +%s) -minimize 3
	sh conformance/fuzz.sh 30s

release: ## build archives, wheels, checksums, bills of materials and manifests of VERSION=v0.1.0 in dist
	@test -n "$(VERSION)" || { echo "want a version: make release VERSION=v0.1.0"; exit 1; }
	$(GO) run ./install/release -version $(VERSION) -out dist $(if $(REPOSITORY),-repository $(REPOSITORY)) $(if $(TARGETS),-targets $(TARGETS))

SITE := .venv/site

site: $(SITE)/done ## build the documentation site in the folder site and check its links
	$(SITE)/bin/python install/site/build.py $(if $(REPOSITORY),--repository $(REPOSITORY)) $(if $(VERSION),--version $(VERSION))

$(SITE)/done: install/site/requirements.txt
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check -r install/site/requirements.txt
	@touch $@

clean: ## remove everything that the other targets made
	rm -rf bin dist site .venv .tables quickstart-result.ipynb
