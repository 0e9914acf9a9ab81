#!/bin/sh
# Counts what tests the repository, for docs/tested.md.
set -eu
tests() { git ls-files '*_test.go' | xargs grep -hE "$1" | wc -l | tr -d ' '; }
echo "| tests | $(tests '^func Test[A-Z]') |"
echo "| examples that are compared with their output | $(tests '^func Example') |"
echo "| fuzz targets | $(tests '^func Fuzz[A-Z]') |"
awk -F'\t' '{ seconds += $2; executions += $3 } END { printf "| hours of fuzzing, and inputs tried | %.1f, %.0f million |\n", seconds / 3600, executions / 1e6 }' \
    kernel/conformance/fuzzed.tsv
echo "| benchmarks | $(tests '^func Benchmark') |"
echo "| lines of tests | $(git ls-files '*_test.go' | xargs cat | wc -l | tr -d ' ') |"
echo "| lines of code, without generated tables | $(git ls-files '*.go' | grep -v '_test.go$' | grep -v '/symbols/' | xargs cat | wc -l | tr -d ' ') |"
