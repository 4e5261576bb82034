#!/usr/bin/env bash
# The recipes of package managers as a release fills them: versions, addresses, hashes; what their tools and schemas say.
# usage: recipes_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/check_projects.sh"
needs jsonschema yaml
. "$here/release_folders.sh"
packaging=$source_dir/compiler/cmake/packaging
address=https://downloads.invalid/v$version
check "build folders" make_build_folders
check "a release" make_release out linux arm windows wasm --address "$address" --homepage https://home.invalid
check "all recipes" [ "$(ls out/recipes | tr '\n' ' ')" = "conan conda homebrew nix scoop vcpkg winget " ]
recipes=$work/out/recipes

# Every address is one of a file of the release, every hash that of one, and nothing is left to fill in.
check "nothing is unfilled" sh -c "! grep -rnE '@[A-Z]' '$recipes'"
addresses() { grep -rhoE 'https://downloads[^"@ ]*' "$recipes" | sort -u; }
check "there are addresses" [ "$(addresses | wc -l)" = 4 ]
for one in $(addresses); do
  check "$one" test -f "out/${one#"$address/"}"
done
known_hashes() { (cd out && sha256sum onnxc-* && sha512sum onnxc-*) | cut -d' ' -f1; }
known_hashes >hashes
grep -rhoE '\b([0-9a-f]{64}|[0-9a-f]{128})\b' "$recipes" | sort -u >used
check "there are hashes" [ "$(wc -l <used)" = 5 ]
check "hashes" sh -c '! grep -vxFf hashes used'
base64_hash() {
  "$python" -c "import base64, sys; print(base64.b64encode(bytes.fromhex(sys.argv[1])).decode())" "$(hash_of "$1")"
}
hash_of() { awk -v name="onnxc-$version-$1" '$2 == name { print $1 }' out/SHA256SUMS; }
check "the version stands nowhere else" sh -c "! grep -rnF '$version' '$packaging'"

schema() { "$python" "$here/check_schema.py" "$here/schemas/$1.json" "$2"; }
check "scoop: fields" schema scoop "$recipes/scoop/onnxc.json"
for file in "$recipes"/winget/*.yaml; do check "winget: $(basename "$file")" schema winget "$file"; done
check "winget: three files" [ "$(cat "$recipes"/winget/*.yaml | grep -c '^ManifestType: \(version\|installer\|defaultLocale\)$')" = 3 ]
check "conda: fields" schema conda "$recipes/conda/meta.yaml"
# The lines that a selector leaves for one system.
for system in linux64 aarch64 win64; do
  sed -n "/# \[/{/\[$system\]\|\[unix\]/!d};p" "$recipes/conda/meta.yaml" >conda_$system.yaml
  check "conda: one source for $system" [ "$(grep -c 'url: ' conda_$system.yaml)" = 1 ]
  check "conda: fields for $system" schema conda conda_$system.yaml
done
check "vcpkg: fields" schema vcpkg "$recipes/vcpkg/vcpkg.json"
check "vcpkg: fields in the tree" schema vcpkg "$packaging/vcpkg/vcpkg.json"
check "Conan: addresses" schema conandata "$recipes/conan/conandata.yml"

# Conan: with stand-ins for its modules, in the tree and from a release.
check "Conan: the tree" "$python" "$here/conan_recipe.py" "$packaging/conan" "$version" "$work/exported"
check "Conan: what it exports configures" cmake -S exported -B exported_build -G Ninja -DONNXC_BUILD_TESTS=OFF \
  -DCMAKE_FIND_PACKAGE_PREFER_CONFIG=ON
check "Conan: a release" "$python" "$here/conan_recipe.py" "$recipes/conan" "$version" "$address/onnxc-$version-source.tar.gz"

# vcpkg: the port for this system, and for another one, whose package runs the program of this one.
port() { # name, variables
  local name=$1
  shift
  cmake -DCURRENT_PACKAGES_DIR="$work/$name/x" -DCURRENT_INSTALLED_DIR="$work/$name/x" -DSAID="$work/$name.said" \
    -DCURRENT_HOST_INSTALLED_DIR="$work/$name/host" -DPORT="$packaging/vcpkg" "$@" -P "$here/vcpkg_port.cmake"
}
check "vcpkg: here" port here
check "vcpkg: builds the sources" grep -qx "configure $source_dir" here.said
check "vcpkg: installs the program" grep -qx "tools onnxc" here.said
check "vcpkg: a release" port released -DPORT="$recipes/vcpkg"
check "vcpkg: fetches the sources" grep -qx "download $address/onnxc-$version-source.tar.gz" released.said
check "vcpkg: for another system" port cross -DVCPKG_CROSSCOMPILING=ON
mkdir -p cross/host/tools/onnxc
ln -s "$onnxc" cross/host/tools/onnxc/onnxc
write_project user find_package
check "vcpkg: a project for another system" cmake -S user -B user/build -G Ninja -Donnxc_DIR="$work/cross/x/share/onnxc"
check "vcpkg: runs the program of this one" grep -q "cross/host/tools/onnxc/onnxc" user/build/build.ninja

if installed ruby; then
  check "Homebrew: Ruby" ruby -c "$recipes/homebrew/onnxc.rb"
  brew() { ruby "$here/homebrew_formula.rb" "$recipes/homebrew/onnxc.rb" "$@"; }
  for one in "mac arm source.tar.gz" "linux intel linux-x86_64.tar.gz" "linux arm linux-aarch64.tar.gz"; do
    set -- $one
    check "Homebrew: $1, $2" prints "$address/onnxc-$version-$3 $(hash_of "$3")" brew "$1" "$2"
  done
  check "Homebrew: builds on macOS" prints "cmake --install build" brew mac arm
  check "Homebrew: unpacks on Linux" prints "install *" brew linux intel
fi
if installed nix-instantiate; then
  nix() { NIX_STATE_DIR=$work/nix NIX_STORE_DIR=$work/nix/store nix-instantiate --store dummy:// "$@"; }
  check "Nix: its syntax" nix --parse "$recipes/nix/flake.nix"
  flake() { nix --eval --strict --json --arg flake "$recipes/nix/flake.nix" --argstr system "$1" "$here/nix_flake.nix"; }
  check "Nix: Linux" prints "sha256-$(base64_hash linux-x86_64.tar.gz)" flake x86_64-linux
  check "Nix: AArch64" prints "sha256-$(base64_hash linux-aarch64.tar.gz)" flake aarch64-linux
  check "Nix: macOS builds" prints "sha256-$(base64_hash source.tar.gz)" flake aarch64-darwin
fi

# The page about installation.
page=$source_dir/docs/installation.md
for recipe in "$recipes"/*/; do
  check "installation.md has $(basename "$recipe")" grep -qE "^\| .*\b$(basename "$recipe")\b" "$page"
done
for path in $(grep -oE '`[^`]*`' "$page" | grep -oE '(tests|examples|compiler|docs)/[A-Za-z0-9_./-]+' | sort -u); do
  check "installation.md: $path" test -e "$source_dir/$path"
done
for file in out/onnxc*; do
  name=$(basename "$file" | sed "s/$version/VERSION/; s/py3-none-.*/py3-none-*.whl/")
  check "installation.md has $name" grep -qF "\`$name\`" "$page"
done

# What a release lacks is not in a recipe.
check "without the exe" prints "recipe scoop: left out, there is no onnxc-$version-windows-x86_64.zip" make_release some linux arm wasm
check "the others are there" [ "$(ls some/recipes | tr '\n' ' ')" = "conan homebrew nix vcpkg " ]
finish
