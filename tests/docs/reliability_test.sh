#!/usr/bin/env bash
# docs/reliability.md has the table that the log of the long runs makes.
. "$(dirname "$0")/../cli/check.sh"
check "the table" python3 "$source_dir/tests/reliability/reliability.py" check "$source_dir/docs/reliability.md"
check "every row has a command" sh -c "python3 '$source_dir/tests/reliability/reliability.py' list | grep -c 'tests/'"
finish
