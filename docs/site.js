// The search of the site that site.py makes; `pages`, the words of every section, is written before this line.
(() => {
  const input = document.getElementById("search"), box = document.getElementById("found");
  const root = document.body.dataset.root;
  const low = pages.map((p) => [p[2].toLowerCase(), p[3].toLowerCase(), p[4].toLowerCase()]);
  let chosen = -1;

  // How well a section fits: every word is in a title or in the text; titles count more, whole words most.
  function score(entry, words) {
    let sum = 0;
    for (const word of words) {
      const whole = new RegExp("(^|[^a-z0-9])" + word.replace(/[^a-z0-9]/g, "\\$&") + "($|[^a-z0-9])");
      let best = 0;
      for (const [i, weight] of [[1, 12], [0, 6], [2, 1]])
        if (entry[i].includes(word)) best += weight * (whole.test(entry[i]) ? 2 : 1);
      if (best === 0) return 0;
      sum += best;
    }
    return sum;
  }

  function excerpt(text, words) {
    const found = words.map((w) => text.toLowerCase().indexOf(w)).filter((i) => i >= 0);
    const from = Math.max(0, (found.length ? Math.min(...found) : 0) - 40);
    return (from > 0 ? "..." : "") + text.slice(from, from + 140) + (text.length > from + 140 ? "..." : "");
  }

  function add(parent, name, text) {
    const element = parent.appendChild(document.createElement(name));
    element.textContent = text;
    return element;
  }

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    box.replaceChildren();
    box.hidden = words.length === 0;
    chosen = -1;
    if (box.hidden) return;
    const hits = low.map((entry, i) => [score(entry, words), i]).filter((h) => h[0] > 0);
    hits.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    for (const [, i] of hits.slice(0, 20)) {
      const [file, anchor, page, section, text] = pages[i];
      const link = box.appendChild(document.createElement("a"));
      link.href = root + "/" + file + (anchor ? "#" + anchor : "");
      link.onclick = () => { box.hidden = true; };
      add(link, "strong", section === page ? page : page + ": " + section);
      add(link, "small", excerpt(text, words));
    }
    if (hits.length === 0) add(box, "p", "Nothing.");
  }

  function choose(step) {
    const links = box.querySelectorAll("a");
    if (links.length === 0) return;
    links[chosen]?.classList.remove("chosen");
    chosen = (chosen + step + links.length) % links.length;
    links[chosen].classList.add("chosen");
    links[chosen].scrollIntoView({ block: "nearest" });
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? 0 : -1);
    else if (event.key === "Enter") (box.querySelectorAll("a")[Math.max(chosen, 0)])?.click();
    else if (event.key === "Escape") { input.value = ""; show(); input.blur(); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
  });
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target) && event.target !== input) box.hidden = true;
  });
  const asked = new URLSearchParams(location.search).get("search");
  if (asked) { input.value = asked; show(); }
})();
