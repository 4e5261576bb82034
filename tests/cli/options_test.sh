#!/usr/bin/env bash
# Every option is in the help, the man page, the completions and docs/command-line.md; what these
# name is an option. (docs/training.md explains those of prepare.)
. "$(dirname "$0")/check.sh"

cat "$source_dir/docs/command-line.md" "$source_dir/docs/training.md" >docs
docs=$PWD/docs
"$onnxc" manual >onnxc.1
for shell in bash zsh fish; do "$onnxc" completion $shell >completion.$shell; done
sed 's/\\f[BIR]//g; s/\\//g' onnxc.1 >plain.1
commands=$("$onnxc" --help | sed -n '/^Subcommands:/,/^$/p' | awk 'NR > 1 && NF { print $1 }')
check "there are commands" [ "$(echo "$commands" | wc -l)" -ge 9 ]

# The names before the texts of the help: -o,--output.
names_in_help() {
  local words=$1
  [ "$1" != report ] || words="report diff"
  # shellcheck disable=SC2086
  "$onnxc" $words --help | sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n' |
    sed 's/^--\(M[DFT]\)$/-\1/' | sort -u
}
# grep for a whole option.
holds() { grep -qE -- "(^|[^-a-zA-Z])$1($|[^-a-zA-Z])" "$2"; }

for command in $commands; do
  names=$(names_in_help "$command")
  check "$command has options" [ -n "$names" ]
  check "$command in the man page" grep -q "^.SS \"onnxc $command\"" plain.1
  check "$command in the documentation" grep -q "^## .*onnxc \[*$command" "$docs"
  for name in $names; do
    check "$command $name: man page" holds "$name" plain.1
    check "$command $name: documentation" holds "$name" "$docs"
  done
  echo "$names" >>all
  # What bash offers is what the help says.
  offered=$(bash -c '. ./completion.bash; COMP_WORDS=(onnxc "$0" -); COMP_CWORD=2; _onnxc
                     printf "%s\n" "${COMPREPLY[@]}"' "$command" | sort -u)
  check "$command: bash offers its options" [ "$(echo "$names" | grep -v -e '^-h$')" = "$(echo "$offered" | grep -v -e '^-h$')" ]
  check "$command: zsh" grep -q "^    $command)" completion.zsh
  check "$command: fish" grep -q -- "-a $command " completion.fish
done
for name in $(sort -u all); do
  check "$name: zsh" grep -qF -- "'*$name[" completion.zsh
  case $name in
    --*) check "$name: fish" grep -q -- "-l ${name#--}\( \|\$\)" completion.fish ;;
    -?) check "$name: fish" grep -q -- "-s ${name#-} " completion.fish ;;
  esac
done
named=$(grep -oE '`--[a-z][-a-z]*' "$docs" | tr -d '`' | sort -u)
for name in $named; do
  case $name in --version | --option) continue ;; esac
  check "the documentation knows no other option: $name" grep -qx -- "$name" all
done

complete_words() { # WORD...: what bash offers for the last of these words
  bash -c '. ./completion.bash; COMP_WORDS=(onnxc "$@"); COMP_CWORD=$#; _onnxc
           printf "%s " "${COMPREPLY[@]}"' _ "$@"
}
check "choices" [ "$(complete_words bench --fp s)" = "strict " ]
check "choices after =" [ "$(complete_words compile --fp = f)" = "fast " ]
check "targets" [ "$(complete_words m.onnx --target cortex-m8)" = "cortex-m85 " ]
check "commands" [ "$(complete_words ins)" = "inspect " ]
: >model.onnx
check "files" [ "$(complete_words check mod)" = "model.onnx " ]
check "shells" [ "$(complete_words completion f)" = "fish " ]
check "a path" [ "$(complete_words compile --report mod)" = "model.onnx " ]
check "the man page has an example" holds "onnxc inspect model.onnx --layers" plain.1
check "the man page says where more is" holds "share/doc/onnxc" plain.1
if installed groff; then
  check "the man page has no warnings" sh -c '[ -z "$(groff -man -Tutf8 -ww onnxc.1 2>&1 >/dev/null)" ]'
  check "exit codes" sh -c "groff -man -Tascii onnxc.1 | grep -q 'verification mismatch'"
fi
if installed zsh; then check "zsh reads it" zsh -n completion.zsh; fi
if installed fish; then check "fish reads it" fish -n completion.fish; fi
finish
