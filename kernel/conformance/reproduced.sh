#!/bin/sh
# Builds a release twice, the second time from a fresh clone in another folder with an empty build cache, and compares
# every file.
#
#     sh kernel/conformance/reproduced.sh v0.1.0 [TARGETS]
set -eu
version=${1:?want a version, such as v0.1.0}
targets=${2:-all}
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
go run ./install/release -version "$version" -targets "$targets" -out "$work/first"
git clone --quiet . "$work/a clone elsewhere"
git -C "$work/a clone elsewhere" remote set-url origin "$(git remote get-url origin 2>/dev/null || echo none)"
cd "$work/a clone elsewhere"
GOCACHE=$work/cache go run ./install/release -version "$version" -targets "$targets" -out "$work/second"
diff -r "$work/first" "$work/second"
echo "$version for $targets is reproduced to the bit:"
cat "$work/first/SHA256SUMS"
