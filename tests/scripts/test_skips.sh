#!/usr/bin/env bash
# A test program tells skipped from failed and from passed, and scripts/skips finds what should have run.
#   test_skips.sh PROGRAM    the program skipping_tests
set -euo pipefail
program=$1
project=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GRAZE_SKIPS=$folder/cpu.txt
failures=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# outcome CODE TESTS: the program ends with that code where it runs these tests.
outcome() {
    local code=0
    "$program" --gtest_filter="$2" >"$folder/out" 2>&1 || code=$?
    ((code == $1)) || fail "$2 ended with $code where $1 was expected"
}
# verdict CODE OPTIONS...: scripts/skips ends with that code; what it says is in $folder/out.
verdict() {
    local expected=$1 code=0
    shift
    "$project/scripts/skips" "$@" >"$folder/out" 2>&1 || code=$?
    ((code == expected)) || fail "skips $* ended with $code where $expected was expected: $(cat "$folder/out")"
}
says() {
    grep -qF -- "$1" "$folder/out" || fail "there is no '$1' in: $(cat "$folder/out")"
}

outcome 0 'Outcome.Passes'
outcome 1 'Outcome.Fails'
outcome 1 'Outcome.Fails:Outcome.SkipsForAGpu'
[[ $(cat "$GRAZE_SKIPS") == $'skipping_tests\tOutcome.SkipsForAGpu\tno GPU' ]] || fail "the list is $(cat "$GRAZE_SKIPS")"
outcome 77 'Outcome.SkipsForAGpu'
outcome 0 'Outcome.Passes:Outcome.SkipsForAGpu'

# A reason holds where the thing is missing, and only there.
verdict 0 --missing gpu "$GRAZE_SKIPS"
says 'skipped  cpu: skipping_tests: Outcome.SkipsForAGpu'
verdict 1 --missing data "$GRAZE_SKIPS"
says 'NOT RUN  cpu: skipping_tests: Outcome.SkipsForAGpu'
rm "$GRAZE_SKIPS"
outcome 77 'Outcome.SkipsForNoReasonThatIsKnown'
verdict 1 --missing gpu --missing data --missing validator "$GRAZE_SKIPS"
says 'not today'

# Only stages with a sanitizer leave out what takes too long there.
printf 'a\tA.B\ttakes too long under a sanitizer\n' | tee "$folder/asan.txt" >"$folder/cuda.txt"
verdict 0 "$folder/asan.txt"
verdict 1 "$folder/cuda.txt"
verdict 0
says 'tests: 0 skipped'

# Every reason that a test gives is known, but for what scripts/setup and ctest always see to.
rm -f "$GRAZE_SKIPS"
grep -rhoE --include='*.h' --include='*.cpp' --include='*.cu' 'GTEST_SKIP\(\)( << "[^"]*)?' "$project/tests" |
    sed -E 's/^GTEST_SKIP\(\)( << ")?//' | sort -u |
    grep -vxF -e 'not today' -e 'no python3' -e 'built without Bullet' \
        -e 'the environment variable GRAZE_APP names no program to test' |
    sed $'s/^/a\tA.B\t/' >"$folder/asan.txt"
(($(wc -l <"$folder/asan.txt") >= 5)) || fail "there are too few reasons: $(cat "$folder/asan.txt")"
verdict 0 --missing gpu --missing data --missing validator --missing avx512 "$folder/asan.txt"

# A data folder that is named must be there and hold what a test takes.
rm -f "$GRAZE_SKIPS"
GRAZE_DATA=$folder/none outcome 1 'Outcome.TakesData'
mkdir "$folder/data"
GRAZE_DATA=$folder/data outcome 1 'Outcome.TakesData'
mkdir "$folder/data/models"
GRAZE_DATA=$folder/data outcome 0 'Outcome.TakesData'
[[ ! -e $GRAZE_SKIPS ]] || fail "a test on data was skipped: $(cat "$GRAZE_SKIPS")"

echo "test_skips: $failures failures"
((failures == 0))
