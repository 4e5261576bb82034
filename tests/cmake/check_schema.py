#!/usr/bin/env python3
"""Whether a JSON or YAML file has the fields that a schema asks for. usage: check_schema.py SCHEMA FILE"""
import json
import sys

import jsonschema
import yaml


def main(schema_path, path):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    with open(path, encoding="utf-8") as file:
        tree = json.load(file) if path.endswith(".json") else yaml.safe_load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    problems = [f"{path}: {'/'.join(map(str, e.absolute_path))}: {e.message}"
                for e in jsonschema.Draft7Validator(schema).iter_errors(tree)]
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
