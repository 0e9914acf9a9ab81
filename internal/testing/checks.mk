# Single checks and tools of contributors. Run them at the root of the repository: make race, or
# make -f internal/testing/checks.mk race.

GO     ?= go
PYTHON ?= python3
VENV   := .venv/conformance
FUZZ_SECONDS ?= 60
PROGRAMS ?= index own-losses teaching/* reproduction/asymvlm/figure-5 reproduction/prolip/table-3-prompts
# The other reproductions train for minutes. Workflows of the repository run all: SHOWN='* reproduction/*/*'.
SHOWN ?= * reproduction/asymvlm/figure-5 reproduction/asymvlm/table-2 reproduction/asymvlm/table-3 reproduction/elip/table-1-corruption \
	reproduction/prolip/table-3-prompts

export CGO_ENABLED = 0
# The Makefile gives the reason.
export GOTOOLCHAIN := $(shell sed -n 's/^toolchain //p' go.mod)
export GOFLAGS := -trimpath $(filter-out -trimpath,$(GOFLAGS))
BINARY := bin/gosphere$(shell GOTOOLCHAIN=$(GOTOOLCHAIN) $(GO) env GOEXE)

.PHONY: documented tools tried hosts browser live wasm build times large race cross generated custom shown examples programs golden notebooks tables nbclient look pages soak crossings faults fuzz rename

build:
	@mkdir -p bin
	$(GO) build -ldflags "-s -w" -o $(BINARY) .

times: ## run all fast tests without cached results and print the slowest packages and tests
	-$(GO) test -count=1 -json ./... | $(GO) run ./kernel/conformance/times

large: ## run the tests that are too slow for make test or measure time: full stacks, large steps on an emulated GPU, growth
	GOSPHERE_LARGE=1 $(GO) test -count=1 -run 'StackOverflow|RerunsStayFlat|StepsOfManyTurns|GrowAsTheyDo|InProportion|TakeNoLonger|MutatedMirrors' ./runtime/internal/session ./asymvlm/internal/cuda ./runtime/internal/realtype

# Whole sessions do not run under the race detector: their cells race on purpose, and sessions of several tests share
# the streams of the process. Their tests have the build constraint !race, or are in the packages that are left out here, so
# that the symbol tables need not be compiled again. runtime/internal/assist has the exception: help beside cells.
# runtime/internal/gotest runs package testing inside the test process, whose flags it sets and restores.
race: ## run the tests of packages that start goroutines or lock under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -short -vet=off -timeout 30m \
		$$(git grep -lE '^\s+go (func\(|[a-z][A-Za-z.]*\()|"sync(/atomic)?"' -- asymvlm internal kernel runtime ':!*_test.go' ':!*/testdata/*' | \
			grep -vE '^internal/(command|testing)/|^kernel/conformance/|/(session|difference|examples|gotest|symbols|gpu)/' | xargs -n1 dirname | sort -u | sed 's|^|./|') ./runtime/interp/std

# The machine that runs this and three builds cover each system and each architecture. For the other two pairs, files that
# are for a system and an architecture can be wrong; they are in the packages below, or generated.
cross: build ## build without cgo for Linux, macOS and Windows on amd64 and arm64
	@for target in linux/amd64 linux/arm64 darwin/arm64 windows/amd64; do \
		[ $$target != $$($(GO) env GOOS)/$$($(GO) env GOARCH) ] || continue; \
		echo "build $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build -ldflags "-s -w" -o bin/cross/ . || exit 1; rm -rf bin/cross; \
	done
	@for target in darwin/amd64 windows/arm64; do \
		echo "build parts of $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build ./runtime/internal/guard/... ./runtime/internal/exec ./asymvlm/device ./kernel/... || exit 1; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) list -deps . >/dev/null || exit 1; \
	done

browser: ## build the extension of JupyterLite with the kernel for the browser in dist/browser (needs Node.js)
	$(PYTHON) -m venv .venv/browser
	.venv/browser/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r install/browser/requirements.txt
	.venv/browser/bin/python install/browser/build.py

live: build browser ## build the site of the notebooks, run by the kernel for the browser, in dist/live
	$(BINARY) site notebooks -o dist/live --python .venv/browser/bin/python

wasm: ## compile the kernel for the browser and play cells in it with Node.js
	GOOS=js GOARCH=wasm $(GO) build -ldflags "-s -w" -o bin/gosphere.wasm .
	cd install/browser && npm ci --no-audit --no-fund --loglevel=error && npm run --silent compile
	GOOS=js GOARCH=wasm $(GO) vet $$(git ls-files '*_js.go' | grep -v /symbols/ | xargs -n1 dirname | sort -u | sed 's|^|./|')
	node install/browser/test/corpus.mjs bin/gosphere.wasm install/browser/test/short.cells
	@for vectors in rounded fused; do \
		GOSPHERE_SIMD=$$vectors GOOS=js GOARCH=wasm $(GO) test -short -run 'Module|MachineIs|AgreeWith|NothingBeside|ProcessorDraws|StatedError' \
			-exec $(CURDIR)/install/browser/test/vectors.sh ./asymvlm/device || exit 1; \
	done

generated: ## test that regenerating the generated files changes nothing
	GOSPHERE_GENERATE=1 $(GO) test -run 'GeneratingEverything|ThumbnailsAreThose' ./runtime/symbols/generate ./internal/notebook/thumbnails
	$(GO) test ./install/licenses/generate

custom: ## build a program with an added module and run a cell with it
	GOSPHERE_BUILD=1 $(GO) test -run ACustomProgram -v ./internal/command/machine

shown: build ## run notebooks except the lessons, which make test runs, and compare outputs with the stored ones (SHOWN='* reproduction/*/*' runs all)
	$(BINARY) check $(SHOWN:%=notebooks/%.ipynb)

# Examples of go/types and go/importer look for the standard library where GOROOT says. A program built with -trimpath
# knows no other place.
examples: ## run the examples of Go's packages and the preloaded modules as cells and compare their output
	GOROOT=$$($(GO) env GOROOT) EXAMPLES= $(GO) test -run PrintWhatTheyPromise -v ./internal/testing/examples

programs: ## build the programs of notebooks and compare their output with the stored one (PROGRAMS='*' builds all)
	GOSPHERE_PROGRAMS="$(PROGRAMS)" $(GO) test -timeout 60m -run ProgramsShow -v ./internal/notebook/program

golden: ## rewrite the golden images of the figures
	$(GO) test ./plotting/... -update

notebooks: build ## run the committed notebooks and store the outputs of the cells that differ
	$(BINARY) check --update notebooks
	$(GO) run ./internal/notebook/thumbnails

tables: build ## train every method on the built-in data and write the tables of asymvlm/RESULTS.md
	sh asymvlm/tables.sh $(BINARY)

documented: build ## run the documented commands of the laboratory on three kinds of sets
	sh asymvlm/documented.sh $(BINARY)

nbclient: build $(VENV)/done ## run every notebook with nbclient and compare the outputs (NOTEBOOKS="quickstart teaching/*")
	$(VENV)/bin/python kernel/conformance/notebooks.py --binary $(BINARY) $(if $(NOTEBOOKS),$(foreach n,$(NOTEBOOKS),"$(n)"))

look: build $(VENV)/done ## run every notebook in JupyterLab and store pictures of the pages in bin/pictures (needs Chromium)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check playwright==1.65.2
	$(VENV)/bin/python kernel/conformance/look.py --binary $(BINARY) --out bin/pictures

pages: build $(VENV)/done ## export every notebook to pages and slides and judge them on a desktop and a phone, light and dark (needs Chromium)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check playwright==1.65.2
	$(VENV)/bin/python kernel/conformance/pages.py --binary $(BINARY) --pictures bin/pictures/exported

tools: build $(VENV)/done ## install the tools that make tried and make hosts need
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r kernel/conformance/hub-requirements.txt -r kernel/conformance/tools-requirements.txt

tried: ## run the kernel with jupyter_kernel_test, nbclient and the like, after make tools
	$(VENV)/bin/python kernel/conformance/run.py --binary $(BINARY)

hosts: played ## run the kernel behind JupyterHub, in voila, nbgrader and other tools, after make tools
	$(VENV)/bin/python kernel/conformance/hub.py --binary $(BINARY)
	$(VENV)/bin/python kernel/conformance/tools.py --binary $(BINARY)

soak: ## run 100,000 cells with clients that join, leave, stall and flood; memory must not grow
	$(GO) test ./kernel/conformance -run 'Soak|MemoryDoesNotGrow' -soak 100000 -soak-figure $(CURDIR)/soak.png -timeout 6h -v

crossings: ## use values of all kinds in all contexts, and change methods of all kinds of types in all ways while values exist
	GOSPHERE_CROSSING=all $(GO) test -count=1 -timeout 30m -run 'InEveryPlace|ChangeBetweenCells|LabelsAndJumps|ReachTheRuntime' -v ./internal/testing/difference

faults: ## let each operation of kernels, runs, embeddings, trainings and modules on files and sockets fail in turn (Linux on amd64)
	GOSPHERE_FAULTS=all $(GO) test -count=1 -timeout 60m -v ./internal/testing/faults
	GOSPHERE_FAULTS=all $(GO) test -count=1 -timeout 60m -v -run TestAKernelSurvivesEachFailingOperation ./kernel/conformance

fuzz: ## compare random programs and sequences of cells with compiled Go, then run each fuzz target for a short time
	$(GO) test ./internal/testing/difference -run TestCellsMeanWhatCompiledGoMeans -v -timeout 90m -seconds $(FUZZ_SECONDS) -seed $$(date +%s) -minimize 3
	$(GO) test ./internal/testing/difference -run TestHistoriesMeanWhatCompiledGoMeans -v -timeout 90m -seconds $(FUZZ_SECONDS) -seed $$(date +%s)
	sh kernel/conformance/fuzz.sh 30s

rename: ## rename the module: make rename MODULE=example.com/owner/gosphere
	@test -n "$(MODULE)" || { echo "missing module path: make rename MODULE=example.com/owner/gosphere"; exit 1; }
	$(PYTHON) install/rename.py $(MODULE)
	$(MAKE) build

$(VENV)/done: kernel/conformance/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r kernel/conformance/requirements.txt
	@touch $@

include asymvlm/internal/cuda/gpu.mk
