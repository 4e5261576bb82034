#!/usr/bin/env bash
# docs/reliability.md has the table that the log of the long runs makes.
. "$(dirname "$0")/../cli/check.sh"
check "the table" python3 "$source_dir/tests/reliability/reliability.py" check "$source_dir/docs/reliability.md"
check "every row has a command" sh -c "python3 '$source_dir/tests/reliability/reliability.py' list | grep -c 'tests/'"
# Of the scripts that rows start by themselves.
not_executable() {
  python3 "$source_dir/tests/reliability/reliability.py" list | grep -oE '(bash |python3 )?tests/[a-z_/0-9]+\.(sh|py)' | grep '^tests/' |
    sort -u | while read -r script; do [ -x "$source_dir/$script" ] || echo "$script"; done
}
check "they can be started" [ "$(not_executable)" = "" ]
finish
