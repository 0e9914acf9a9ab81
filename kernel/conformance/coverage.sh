#!/bin/sh
# Runs all fast tests and writes docs/coverage.md: for each package the statements, and how many of them its own tests run.
# Generated tables are left out, as are programs that only make such tables, examples, and packages of tests.
set -eu
profile=$(mktemp)
trap 'rm -f "$profile"' EXIT
# Tests that look at the coverage mode of the process, or that take files away from it, fail here and not in make test.
go test -vet=off -timeout 60m -coverprofile="$profile" ./... >&2 || echo "some tests have failed" >&2
{
    echo "# Coverage by package"
    echo
    echo "The share of the statements of each package that its own tests run, made by \`sh kernel/conformance/coverage.sh\`. Most packages of the core are"
    echo "also run by the tests of \`runtime/internal/session\` and by the comparison with compiled Go, which do not count here."
    echo
    echo "| package | statements | run by its own tests |"
    echo "|---|---|---|"
    awk -F'[: ]' 'NR > 1 {
        file = $1; sub(/^gosphere\//, "", file)
        if (file ~ /\/(testing|examples|generate|symbols)\// || file ~ /^(bench|install)\//) next
        package = file; if (!sub(/\/[^\/]*$/, "", package)) package = "."
        key = $1 ":" $2
        statements[key] = $3; of[key] = package
        if ($4 > 0) run[key] = 1
    } END {
        for (key in statements) { total[of[key]] += statements[key]; if (key in run) covered[of[key]] += statements[key] }
        for (package in total) printf "| `%s` | %d | %.0f %% |\n", package, total[package], 100 * covered[package] / total[package]
    }' "$profile" | LC_ALL=C sort
} > docs/coverage.md
