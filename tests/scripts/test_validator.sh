#!/usr/bin/env bash
# scripts/validate-glb and scripts/setup take gltf-validator for missing where there is no npm, no node or no network, and
# fail where there are and it could not be fetched. Made-up programs stand in for npm and dpkg-query.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
mkdir -p "$folder/tree/scripts" "$folder/bin"
cp "$project"/scripts/{validate-glb,setup} "$folder/tree/scripts"

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# program NAME SCRIPT: a program of that name that does this.
program() {
    printf '#!/bin/bash\n%s\n' "$2" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}
# outcome CODE COMMAND...: the command of the tree ends with that code where only the made-up programs and those of the
# system's first folders are found.
outcome() {
    local expected=$1 code=0
    shift
    rm -rf "$folder/tree/build"
    PATH=$folder/bin "$folder/tree/scripts/$1" "${@:2}" >"$folder/out" 2>&1 || code=$?
    ((code == expected)) || fail "$* ended with $code where $expected was expected: $(cat "$folder/out")"
}
says() {
    grep -qF -- "$1" "$folder/out" || fail "there is no '$1' in: $(cat "$folder/out")"
}

for name in bash cat dirname env grep gzip mkdir mktemp mv rm tar; do
    ln -s "$(command -v "$name")" "$folder/bin/$name"
done
program dpkg-query 'for package in "$@"; do printf "installed:%s " "$package"; done'

outcome 77 validate-glb --fetch
says 'no gltf-validator'
outcome 0 setup tests
says 'went on without'
program node 'exit 0'
outcome 77 validate-glb --fetch
for code in ENOTFOUND EAI_AGAIN ECONNREFUSED ETIMEDOUT; do
    program npm "echo 'npm error code $code' >&2; exit 1"
    outcome 77 validate-glb --fetch
    outcome 0 setup tests
    says 'went on without'
done
for code in E404 E403 EINTEGRITY ENOSPC; do
    program npm "echo 'npm error code $code' >&2; exit 1"
    outcome 2 validate-glb --fetch
    says "code $code"
    outcome 2 validate-glb some.glb
    outcome 1 setup tests
done

# What npm leaves is no archive, or one of something else.
program npm 'echo "no archive" >"$3/gltf-validator-2.0.0-dev.3.10.tgz"'
outcome 2 validate-glb --fetch
program npm 'cd "$3" && mkdir other && tar -czf gltf-validator-2.0.0-dev.3.10.tgz other'
outcome 2 validate-glb --fetch

program npm 'cd "$3" && mkdir package && tar -czf gltf-validator-2.0.0-dev.3.10.tgz package'
outcome 0 validate-glb --fetch
outcome 0 setup tests
[[ -d $folder/tree/build/gltf-validator/2.0.0-dev.3.10 ]] || fail "the archive was not unpacked"

echo "test_validator: $failures failures"
((failures == 0))
