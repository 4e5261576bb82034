#!/usr/bin/env bash
# docs/OPERATORS.md is what the registry says. Rewrite it with: onnxc ops --markdown > docs/OPERATORS.md
. "$(dirname "$0")/check.sh"

"$onnxc" ops --markdown >operators.md
check "docs/OPERATORS.md is up to date" cmp operators.md "$ONNXC_SOURCE/docs/OPERATORS.md"
finish
