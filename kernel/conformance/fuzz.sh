#!/bin/sh
# Runs every fuzz target of the repository for the given time (default 30s). Finds go to testdata/fuzz and are kept as cases.
# Adds the seconds and the executions of each target to fuzzed.tsv, from which counts.sh takes the hours of fuzzing.
set -eu
time=${1:-30s}
record=$(dirname "$0")/fuzzed.tsv
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for package in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do
    for target in $(grep -rhoE '^func Fuzz[A-Za-z0-9_]*' "$package"/*_test.go | cut -d' ' -f2); do
        echo "== $package $target $time"
        status=0
        began=$(date +%s)
        # Making inputs shorter that are only new takes a minute for each by default, in which nothing is tried.
        go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 2s "$package" > "$log" 2>&1 || status=$?
        cat "$log"
        awk -v target="$package.$target" -v seconds=$(($(date +%s) - began)) '
            BEGIN { FS = OFS = "\t" }
            FNR == NR { if (match($0, /execs: [0-9]+/)) executions = substr($0, RSTART + 7, RLENGTH - 7); next }
            $1 == target { $2 += seconds; $3 += executions; found = 1 }
            { print }
            END { if (!found) print target, seconds, executions + 0 }' "$log" "$record" > "$record.new"
        LC_ALL=C sort "$record.new" > "$record"
        rm -f "$record.new"
        [ "$status" = 0 ] || exit "$status"
    done
done
