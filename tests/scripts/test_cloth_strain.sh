#!/usr/bin/env bash
# scripts/cloth-strain fails where a run stretches, intersects, was not finished or cannot be read, and only there.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# run_of NAME P99 MOST INTERSECTIONS COMPLETE: a run of two steps, of which the first has these figures.
run_of() {
    local run=$folder/$1.run
    mkdir -p "$run"
    {
        echo "step,seconds,kinetic_energy,potential_energy,cut,script_work,elastic_energy,stretch_p1,stretch_p99,stretch_most,intersections"
        echo "1,0.5,1,2,0,0.5,0,0.95,$2,$3,$4"
        echo "2,0.5,2,2.75,3,1,0.25,0.97,1.001,1.002,0"
    } >"$run/steps.csv"
    echo "{\"is_complete\": $5}" >"$run/summary.json"
}
# verdict CODE RUN...: the script ends with that code; what it says is in $folder/out.
verdict() {
    local expected=$1 code=0
    shift
    "$project/scripts/cloth-strain" --runs "${@/#/$folder/}" >"$folder/out" 2>&1 || code=$?
    ((code == expected)) || fail "$* ended with $code where $expected was expected: $(cat "$folder/out")"
}
says() {
    grep -qF -- "$1" "$folder/out" || fail "there is no '$1' in: $(cat "$folder/out")"
}

run_of good 1.049 1.099 0 true
run_of stretched 1.05 1.06 0 true
run_of torn 1.01 1.1 0 true
run_of crossed 1.01 1.02 2 true
run_of ended 1.01 1.02 0 false

verdict 0 good.run
# The energy grows from 3 to 5 J; of that the second step's 1 J of work is the script's.
says '| good | 2 | 1.0490 | 1.099 | 0.950 | 3 | 0 | 1 | 500.0 |'
verdict 1 good.run stretched.run
says 'stretched.run: the 99th percentile of the stretch is 1.0500, not below 1.05'
verdict 1 torn.run
says 'torn.run: the longest edge is stretched to 1.100, not below 1.1'
verdict 1 crossed.run good.run
says 'crossed.run: 2 pairs of triangles intersect'
verdict 1 ended.run
says 'ended.run: it has not come to its end'
verdict 1 none.run
says 'none.run: it cannot be read'

# It runs scenes, and tells when that fails.
code=0
"$project/scripts/cloth-strain" --graze false --out "$folder" funnel_small >"$folder/out" 2>&1 || code=$?
((code == 1)) || fail "a program that fails is not told: $(cat "$folder/out")"
says 'funnel_small.run: graze ended with 1'

echo "test_cloth_strain: $failures failures"
((failures == 0))
