#!/usr/bin/python3
"""Holds the published schema to a validator: the scenes of the project pass, wrong ones do not.

    tests/simulation/test_scene_schema.py ROOT

tests/simulation/wrong_scenes.json has the wrong ones; test_scene_file holds the reader to the same table. Those marked with
"schema_accepts" are wrong in a way that a schema cannot say. Exit status 77: python3-jsonschema is missing.
"""
import copy
import json
import os
import sys
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
except ImportError:
    REASON = "python3-jsonschema is missing; scripts/setup tests installs it"
    print(f"skipped: {REASON}")
    if os.environ.get("GRAZE_SKIPS"):
        with open(os.environ["GRAZE_SKIPS"], "a") as skips:
            skips.write(f"test_scene_schema\tall\t{REASON}\n")
    sys.exit(77)


def changed(value, change):
    """The value after a merge patch (RFC 7396)."""
    if not isinstance(change, dict):
        return change
    result = copy.deepcopy(value) if isinstance(value, dict) else {}
    for key, part in change.items():
        if part is None:
            result.pop(key, None)
        else:
            result[key] = changed(result.get(key), part)
    return result


def main():
    root = Path(sys.argv[1])
    schema = json.loads((root / "docs/scene.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    failures = []

    scenes = sorted((root / "scenes").glob("*.json"))
    examples = sorted((root / "tests/scenes").glob("*.json"))
    for path in [*scenes, *examples]:
        for error in validator.iter_errors(json.loads(path.read_text())):
            where = ".".join(str(key) for key in error.absolute_path)
            failures.append(f"{path.name}: {where}: {error.message[:300]}")

    table = json.loads((root / "tests/simulation/wrong_scenes.json").read_text())
    if not validator.is_valid(table["base"]):
        failures.append("the base of the wrong scenes is refused")
    for case in table["wrong"]:
        scene = changed(table["base"], case["change"])
        if validator.is_valid(scene) != case.get("schema_accepts", False):
            failures.append(f"{'refused' if case.get('schema_accepts') else 'accepted'}: {json.dumps(case['change'])}")

    print("\n".join(failures))
    print(f"schema: {len(scenes)} scenes, {len(examples)} examples, {len(table['wrong'])} wrong ones, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
