#!/usr/bin/env bash
# docs/site.py: every link of the site leads somewhere, nothing is loaded from elsewhere, the markup is balanced, the search
# finds; links that lead nowhere are refused.
# usage: site_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
python=python3

check "a site" "$python" "$source_dir/docs/site.py" site
check "links, resources, markup" "$python" "$here/site.py" site "$source_dir"
check "once more, in its place" "$python" "$source_dir/docs/site.py" site
mkdir other && touch other/file
check "another folder is left alone" sh -c "! '$python' '$source_dir/docs/site.py' other 2>said.log && test -e other/file"

# What Markdown becomes.
mkdir -p tree/docs/part
cp "$source_dir"/docs/site.{py,css,js} tree/docs/
cat >tree/README.md <<'END2'
# A & B

Text with `a < b`, **strong
words**, *slanted*, 2 * 3 * 4, [a link](docs/part#x-y) and [out](https://example.org/a_b).

- one
  goes on
- two:

  ```sh
  code <b>
  ```

1. first
2. second [there](docs/part/page.md#again-1)

| `a \| b` | head |
|---|---|
| 1 | `**raw**` |

    indented

      more
END2
sed -i 's/docs\/part#x-y/docs\/part/' tree/README.md
printf '# Page\n\n## Again\n\n## Again\n\nBack to [A](../../README.md#a--b).\n' >tree/docs/part/page.md
check "a small tree" "$python" tree/docs/site.py small
flat() { tr '\n' ' ' <"small/$1"; }
holds() { flat "$1" | grep -qF -- "$2" || { flat "$1"; return 1; }; }
check "code" holds index.html '<code>a &lt; b</code>'
check "strong over lines" holds index.html '<strong>strong words</strong>'
check "emphasis" holds index.html '<em>slanted</em>, 2 * 3 * 4'
check "a folder" holds index.html '<a href="docs/part/index.html">a link</a>'
check "an address" holds index.html '<a href="https://example.org/a_b">out</a>'
check "a list" holds index.html '<li><p>one goes on</p></li>'
check "code in a list" holds index.html '<pre><code>code &lt;b&gt; </code></pre></li>'
check "numbers" holds index.html '<ol> <li>first</li> <li>second <a href="docs/part/page.html#again-1">there</a></li> </ol>'
check "a table" holds index.html '<th><code>a | b</code></th>'
check "marks in code" holds index.html '<td><code>**raw**</code></td>'
check "indented code" holds index.html '<pre><code>indented    more </code></pre>'
check "headings of the same name" holds docs/part/page.html 'id="again-1"'
check "a way up" holds docs/part/page.html '<a href="../../index.html#a--b">A</a>'
for target in none.md docs/part/page.md#nowhere '#nowhere' docs/none; do
  cp tree/README.md kept
  echo "[wrong]($target)" >>tree/README.md
  check "$target: refused" sh -c "! '$python' tree/docs/site.py wrong 2>said.log && grep -qF 'README.md: $target' said.log && test ! -e wrong"
  mv kept tree/README.md
done

# In a browser: the search of a word finds its section, and the console stays empty.
if installed chromium; then
  browse() {
    timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --virtual-time-budget=2000 \
      --allow-file-access-from-files --dump-dom "file://$PWD/site/$1" >page.dom 2>page.log && ! grep -i console page.log
  }
  found() { browse "$1" && tr '\n' ' ' <page.dom | grep -o '<div id="found">.*</div> *<div class="page">' | grep -qF "$2"; }
  check "the search finds an option" found "docs/faq.html?search=--flash-limit" 'command-line.html#memory'
  check "the search finds two words" found "index.html?search=weights+mmap" 'docs/faq.html#how-do-i-map-the-weights-from-a-file'
  check "the search finds nothing" found "index.html?search=zzzyyy" 'Nothing.'
fi
finish
