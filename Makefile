# gosphere: a Jupyter kernel and scripting environment for Go.
#
# Each target has a description after ##, and make help prints them. Single checks and the tools of contributors are in
# internal/testing/checks.mk and asymvlm/internal/cuda/gpu.mk; make race, for instance, forwards to them.

GO     ?= go
PYTHON ?= python3
VENV   := .venv/conformance
TORCH  := .venv/training
TABLES := .venv/tables
SITE   := .venv/site
CHECKS := $(MAKE) --no-print-directory -f internal/testing/checks.mk

export CGO_ENABLED = 0
# The release of Go in go.mod, also where the environment says local. An older go command downloads it. To try another
# release: make test GOTOOLCHAIN=go1.28rc1
export GOTOOLCHAIN := $(shell sed -n 's/^toolchain //p' go.mod)
# With the same flags for all builds and tests, each package is compiled once.
export GOFLAGS := -trimpath $(filter-out -trimpath,$(GOFLAGS))
BINARY := bin/gosphere$(shell GOTOOLCHAIN=$(GOTOOLCHAIN) $(GO) env GOEXE)

.DEFAULT_GOAL := help
.PHONY: help build install quickstart test check lint bench conformance gpu symbols release site clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):[^#]*## (.*)/  \1	\2/' | expand -t 16
	@echo
	@echo "Single checks and tools:"
	@grep -hE '^[a-z]+:.*##' internal/testing/checks.mk asymvlm/internal/cuda/gpu.mk | sed -E 's/^([a-z]+):[^#]*## (.*)/  \1	\2/' | expand -t 16

build: ## build the static binary bin/gosphere
	@mkdir -p bin
	$(GO) build -ldflags "-s -w" -o $(BINARY) .

install: build ## build, and install the kernelspec for this user
	$(BINARY) install --user

quickstart: install ## build, install the kernelspec, run the quickstart notebook and print where the result is
	$(BINARY) run notebooks/quickstart.ipynb -o quickstart-result.ipynb
	@echo
	@echo "The executed notebook is $(CURDIR)/quickstart-result.ipynb"
	@echo "Open it with: jupyter lab quickstart-result.ipynb   (kernel: Go (gosphere))"

# The package whose tests take longest begins first. Some packages wait for the clock, so one more than there are
# processors is tested at a time.
test: ## run all fast tests
	$(GO) test -vet=all -timeout 20m -p $(shell expr $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 3) + 1) ./runtime/internal/session ./...

check: lint ## run the slower checks: lint, notebooks, their programs, examples, race detector, cross builds
	$(CHECKS) generated shown programs examples large crossings race cross custom

# make test vets the code that this machine builds.
lint: ## run gofmt, staticcheck, vet of the assembly for arm64, and actionlint on the workflows
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "not gofmt-ed: $$unformatted"; exit 1; fi
	GOARCH=arm64 $(GO) vet ./asymvlm/device ./asymvlm/nn ./asymvlm/retrieval
	$(GO) tool staticcheck ./...
	$(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

bench: $(VENV)/done $(TORCH)/done $(TABLES)/done ## compare speeds: training and encoders with OpenBLAS and PyTorch, tables with pandas and polars, cells with yaegi, Go and CPython
	$(GO) run ./bench -python $(TORCH)/bin/python
	$(GO) run ./bench/encoders -python $(TORCH)/bin/python
	$(GO) run ./bench/tables -python $(TABLES)/bin/python
	$(GO) test ./bench -run none -bench "Cells|Latency|Debugged|Requests" -benchtime 1x -ipykernel $(CURDIR)/$(VENV)/bin/python

conformance: tools ## run the kernel with the tools around Jupyter, and the GPU code without a GPU
	$(CHECKS) tried
	$(CHECKS) hosts

gpu: ## build bin/gosphere-gpu, which trains on NVIDIA GPUs (needs a C compiler)
	$(CHECKS) trainer

symbols: ## regenerate the symbol tables and type information of the preloaded packages
	$(GO) generate ./runtime/symbols ./runtime/graph

release: ## build archives, wheels, checksums, bills of materials and manifests of VERSION=v0.1.0 in dist
	@test -n "$(VERSION)" || { echo "want a version: make release VERSION=v0.1.0"; exit 1; }
	$(GO) run ./install/release -version $(VERSION) -out dist $(if $(REPOSITORY),-repository $(REPOSITORY)) $(if $(TARGETS),-targets $(TARGETS))

site: $(SITE)/done ## build the documentation site in the folder site and check its links
	$(SITE)/bin/python install/site/build.py $(if $(REPOSITORY),--repository $(REPOSITORY)) $(if $(VERSION),--version $(VERSION)) $(if $(LIVE),--live $(LIVE))

clean: ## remove everything that the other targets created
	rm -rf bin dist site .venv .tables quickstart-result.ipynb

.DEFAULT:
	@$(CHECKS) $@

$(TORCH)/done: bench/requirements.txt
$(TABLES)/done: bench/tables/requirements.txt
$(VENV)/done: kernel/conformance/requirements.txt
$(SITE)/done: install/site/requirements.txt
$(TORCH)/done $(TABLES)/done $(VENV)/done $(SITE)/done:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r $<
	@touch $@
