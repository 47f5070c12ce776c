#!/usr/bin/env bash
# Every rule of scripts/check and scripts/tidy finds a violation of it, by file and line, and passes clean files.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# A clean tree with one file of each kind of folder.
fresh_tree() {
    rm -rf "$tree"
    mkdir -p "$tree"/{include/graze,src/core,src/geometry,src/io,apps/graze,scripts}
    cp "$project"/{.clang-format,.clang-tidy} "$tree"
    printf '#pragma once\n#include <vector>\n' >"$tree/include/graze/mesh.h"
    printf '#pragma once\n#include "graze/mesh.h"\n' >"$tree/src/core/half.h"
    printf '#include "core/half.h"\n' >"$tree/src/geometry/mesh.cpp"
    printf '#include "geometry/bvh.h"\n' >"$tree/src/io/read.cpp"
    printf '#include <tbb/info.h>\n\n#include "graze/graze.h"\n' >"$tree/apps/graze/main.cpp"
}

# expect RULE FILE LINE CONTENT: the file with that content makes the rule fail with FILE:LINE.
expect() {
    local rule=$1 file=$2 line=$3 content=$4 out
    fresh_tree
    mkdir -p "$tree/$(dirname "$file")"
    printf '%b' "$content" >"$tree/$file"
    if out=$("$project/scripts/check" --root "$tree" "$rule"); then
        fail "$rule let $file pass: $content"
    elif [[ $out != *"$file:$line: "* ]]; then
        fail "$rule did not name $file:$line but said: $out"
    fi
}

fresh_tree
"$project/scripts/check" --root "$tree" || fail "the clean tree has findings"

expect format src/core/vec.h 2 '#pragma once\nint  a ;\n'

expect includes include/graze/a.h 2 '#pragma once\n#include "core/half.h"\n'
expect includes include/graze/a.h 1 '#include <tbb/task_arena.h>\n'
expect includes include/graze/a.h 1 '#include <cuda_runtime.h>\n'
expect includes src/core/a.h 1 '#include "geometry/mesh.h"\n'
expect includes src/geometry/a.h 3 '\n\n#  include  "io/read.h"\n'
expect includes src/geometry/a.cpp 1 '#include "bvh.h"\n'
expect includes src/geometry/a.cpp 1 '#include <tbb/parallel_for.h>\n'
expect includes src/geometry/a.h 1 '#include <cub/cub.cuh>\n'
expect includes src/narrow_phase/a.h 1 '#include "contacts/contact.h"\n'
expect includes src/io/a.h 1 '#include "detection/scene_arrays.h"\n'
expect includes src/detection/a.h 1 '#include "simulation/json_cursor.h"\n'
expect includes src/misc/a.h 1 '#pragma once\n'
expect includes apps/graze/a.cpp 1 '#include "geometry/mesh.h"\n'
expect includes plugins/bullet/a.cpp 1 '#include "../../src/core/half.h"\n'
cuda_macro=__CUDA
expect includes src/core/a.h 2 "#pragma once\n#ifdef ${cuda_macro}CC__\n#endif\n"
expect includes tests/a.cpp 1 "#if ${cuda_macro}_ARCH__ > 1\n#endif\n"

expect size src/core/a.h 601 "$(printf '\\n%.0s' {1..601})"
expect tests tests/test_half.cpp 1 '\n'
expect tests tests/geometry/test_half.cpp 1 '\n'
expect tests tests/elsewhere/test_any.cpp 1 '\n'
expect width docs/a.md 2 "# A\n$(printf 'x%.0s' {1..121})\n"
expect names src/core/mesh_utils.h 1 '#pragma once\n'
expect names src/helpers/mesh.h 1 '#pragma once\n'
expect names src/core/scene-manager.cpp 1 '\n'
for folder in home root work Users; do
    expect paths scripts/a.sh 2 "#!/bin/sh\ncd /$folder/someone\n"
done

if "$project/scripts/check" --root "$tree" no_such_rule 2>/dev/null; then fail "an unknown rule passed"; fi

# clang-tidy: a finding fails each time anew, and a corrected file passes and is then known.
fresh_tree
mkdir -p "$tree/build/cpu"
source=$tree/src/core/a.cpp
other=$tree/src/core/b.cpp
printf '\n' >"$other"
cat >"$tree/build/cpu/compile_commands.json" <<END
[{"directory": "$tree", "file": "$source", "command": "g++ -std=c++20 -I$tree/src -c $source"},
 {"directory": "$tree", "file": "$other", "command": "g++ -std=c++20 -I$tree/src -c $other"}]
END
printf '#include "core/zero.h"\n' >"$source"
printf 'inline int* nothing() {\n    return 0;\n}\n' >"$tree/src/core/zero.h"
for run in first second; do
    if out=$("$project/scripts/tidy" --root "$tree" --build "$tree/build/cpu"); then
        fail "tidy let a violation pass, $run run"
    elif [[ $out != *"zero.h:2:"*nullptr* ]]; then
        fail "tidy did not name zero.h:2 but said: $out"
    fi
done
printf 'inline int* nothing() {\n    return nullptr;\n}\n' >"$tree/src/core/zero.h"
"$project/scripts/tidy" --root "$tree" --build "$tree/build/cpu" | grep -q '1 changed, 0 with' || fail "tidy did not pass the corrected file"
"$project/scripts/tidy" --root "$tree" --build "$tree/build/cpu" | grep -q '0 changed, 0 with' || fail "tidy forgot a file that passed"

# The analyzer, too, looks into files that are checked together, and the one with the finding is named.
printf 'int a() {\n    return 1;\n}\n' >"$source"
printf 'int b(bool is_there) {\n    int x = 1;\n    int* p = is_there ? &x : nullptr;\n    return *p;\n}\n' >"$other"
if out=$("$project/scripts/tidy" --root "$tree" --build "$tree/build/cpu"); then
    fail "tidy let a null pointer pass"
elif [[ $out != *"b.cpp:4:"*Dereference*"2 changed, 1 with"* ]]; then
    fail "tidy did not name b.cpp:4 alone but said: $out"
fi

# So does the check that looks at a file's own lines only.
printf 'int b() {\n    return 1;\n}\n' >"$other"
printf 'namespace n {\nstruct S {};\n}\nusing n::S;\n' >"$source"
if out=$("$project/scripts/tidy" --root "$tree" --build "$tree/build/cpu"); then
    fail "tidy let an unused using-declaration pass"
elif [[ $out != *"a.cpp:4:"*unused* ]]; then
    fail "tidy did not name a.cpp:4 but said: $out"
fi

echo "test_checks: $failures failures"
((failures == 0))
