#!/bin/sh
# Runs every fuzz target of the repository for the given time (default 30s). Finds go to testdata/fuzz and are kept as cases.
set -eu
time=${1:-30s}
for package in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do
    for target in $(grep -rhoE '^func Fuzz[A-Za-z0-9_]*' "$package"/*_test.go | cut -d' ' -f2); do
        echo "== $package $target $time"
        # Making inputs shorter that are only new takes a minute for each by default, in which nothing is tried.
        go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 2s "$package"
    done
done
