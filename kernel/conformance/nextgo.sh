#!/bin/sh
# Builds and tests the parts that depend on the release of Go with another release, and prints a table:
#
#     sh kernel/conformance/nextgo.sh go1.28rc1
#
# local means the go command on the PATH. docs/releasing-go.md says what to do with the result.
set -u
cd "$(dirname "$0")/../.."
export GOTOOLCHAIN=${1:?"usage: sh kernel/conformance/nextgo.sh RELEASE, such as go1.28rc1 or local"}
export CGO_ENABLED=0
# The tag lets an unknown release build the program.
export GOFLAGS="-trimpath -tags=unknowngo"
release=$(go env GOVERSION) || exit 2
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
failed=0

# part NAME COMMAND... runs a command and notes the result. Go's test command succeeds if all tests are skipped or none
# has the name; both mean that the part was not tested.
part() {
	name=$1
	shift
	result=passes
	if ! "$@" >"$logs/log" 2>&1; then
		result="needs work"
	elif grep -qE '^--- SKIP|no tests to run' "$logs/log"; then
		result="not tested"
	fi
	echo "| $name | $result |" >>"$logs/table"
	[ "$result" = passes ] && return
	failed=1
	echo "== $name: $result"
	# What failed, without the stacks of all goroutines; the beginning if nothing is recognized.
	grep -nE '^ *--- (FAIL|SKIP)|^(panic|fatal error|FAIL|SIG[A-Z]+|unexpected fault)|_test\.go:[0-9]+: |^[^ ]+\.go:[0-9]+:[0-9]+: |no tests to run' "$logs/log" |
		cut -c1-300 | head -n 60 >"$logs/short"
	if [ -s "$logs/short" ]; then cat "$logs/short"; else head -n 60 "$logs/log"; fi
}

# symbols lists names of the standard library that the tables lack or that are gone.
symbols() { GOSPHERE_GENERATE=names go test -v -count=1 -run '^TestStandardLibraryHasNoNewNames$' ./runtime/symbols/generate; }

echo "$(go version)"
part "build" go build -o "$logs/gosphere" .
part "layout of types" go test ./runtime/internal/realtype ./runtime/internal/hostcall
part "layout of types, GOGC=1" env GOGC=1 GODEBUG=gccheckmark=1 go test -count=1 ./runtime/internal/realtype
part "new packages, functions and methods" symbols
part "functions and methods with type parameters" go test ./runtime/internal/generic/...
part "checks" go test ./runtime/cell ./runtime/check ./runtime/vet
part "language" go test ./runtime/internal/session -run '^TestCases$'
{
	echo
	echo "| part | $release |"
	echo "|---|---|"
	cat "$logs/table"
} | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
exit $failed
