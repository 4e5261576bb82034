#!/usr/bin/env python3
"""The schemas of the JSON that commands print: checks output against them, and makes docs/json.md.

usage: json_schema.py validate SCHEMA.json OUTPUT.json...   every output fits; every key of the schema is in one of them
       json_schema.py page FOLDER                           prints docs/json.md

Knows the part of JSON Schema that these schemas use: type, properties, required, additionalProperties, items, enum.
"""
import json
import os
import sys

ORDER = ["check", "inspect", "inspect-tradeoff", "verify", "verify-layers", "bench", "bench-targets", "compare"]
KNOWN = {"title", "description", "type", "properties", "required", "additionalProperties", "items", "enum"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}


def types_of(schema):
    types = schema["type"]
    return types if isinstance(types, list) else [types]


def validate(value, schema, where, seen):
    """Yields what is wrong; adds the keys that occur to seen."""
    unknown = set(schema) - KNOWN
    if unknown:
        yield f"{where}: the validator does not know {sorted(unknown)}"
    if not any(TYPES[t](value) for t in types_of(schema)):
        yield f"{where}: {value!r} is not of type {schema['type']}"
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} is none of {schema['enum']}"
    elif isinstance(value, dict):
        yield from validate_object(value, schema, where, seen)
    elif isinstance(value, list):
        for item in value:
            yield from validate(item, schema["items"], where + "[]", seen)


def validate_object(value, schema, where, seen):
    properties = schema.get("properties", {})
    for key in schema.get("required", []):
        if key not in value:
            yield f"{where}: has no {key}"
    for key, item in value.items():
        place = f"{where}.{key}" if where else key
        more = schema.get("additionalProperties", True)
        if key in properties:
            seen.add(place)
            yield from validate(item, properties[key], place, seen)
        elif isinstance(more, dict):
            yield from validate(item, more, f"{where}.*", seen)
        elif not more:
            yield f"{place}: is not in the schema"


def keys(schema, where=""):
    """Every key: its path, its schema, whether it may be missing."""
    for key, item in schema.get("properties", {}).items():
        place = f"{where}.{key}" if where else key
        yield place, item, key not in schema.get("required", [])
        yield from keys(item, place)
    if "items" in schema:
        yield from keys(schema["items"], where + "[]")


def check(schema_file, outputs):
    with open(schema_file) as file:
        schema = json.load(file)
    seen, problems = set(), []
    for output in outputs:
        with open(output) as file:
            problems += [f"{output}: {p}" for p in validate(json.load(file), schema, "", seen)]
    problems += [f"{schema_file}: no output has {place}" for place, _, _ in keys(schema) if place not in seen]
    print("\n".join(problems))
    return 1 if problems else 0


def type_text(schema):
    names = types_of(schema)
    if "enum" in schema:
        return ", ".join(f"`{v}`" for v in schema["enum"])
    if schema["type"] == "array":
        return "array of " + type_text(schema["items"])
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        return "object of " + type_text(more)
    return " or ".join(names)


HEAD = """# JSON output

Made by `tests/cli/json_schema.py page tests/cli/schemas`.

`check`, `inspect`, `verify`, `bench` and `compare` print one JSON object to stdout with `--json`, and messages to stderr. Exit codes are the
same as without. Keys are those below; a key that may be absent says so. Numbers of open sizes are strings, such as `64*batch`, in the
names of the model; with values for all sizes they are integers. What is infinite or not a number is null.

[versioning.md](versioning.md) says what stays: a later version may add keys, so programs ignore those that they do not know. The schemas in
`tests/cli/schemas/` know the keys of this version, and refuse others; a test compares them with what the commands print. Times are in
milliseconds or seconds, as the end of a key says, sizes in bytes.
"""


def page(folder):
    text = HEAD
    for name in ORDER:
        with open(os.path.join(folder, name + ".json")) as file:
            schema = json.load(file)
        text += f"\n## {schema['title']}\n\n| key | type | meaning |\n|---|---|---|\n"
        for place, item, optional in keys(schema):
            meaning = item.get("description", "") + (" (may be absent)" if optional else "")
            text += f"| `{place}` | {type_text(item)} | {meaning} |\n"
    return text


def main(command, *words):
    if command == "validate":
        return check(words[0], words[1:])
    print(page(words[0]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
