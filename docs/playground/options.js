// The form of the options. Its choices, their defaults and their texts are those of the command line's help.
const options = (() => {
  const form = document.getElementById("options");
  const sizes = document.getElementById("sizes");
  let targets = new Map();

  function fillSelect(name, choices, chosen) {
    const select = form.elements[name];
    select.replaceChildren(...choices.map((choice) => new Option(choice, choice, choice === chosen, choice === chosen)));
  }

  // `  --weights auto|inline=auto   How the weights are stored`
  function choicesOf(help, name) {
    const match = new RegExp(`^ +--${name} ([\\w|]+)=(\\w+)`, "m").exec(help);
    return match ? {choices: match[1].split("|"), chosen: match[2]} : {choices: [], chosen: ""};
  }

  function helpOf(help, name) {
    const match = new RegExp(`^ .*--${name}\\b.*?(?:  +|\\n +)(\\S.*)$`, "m").exec(help);
    return match ? match[1] : "";
  }

  function describe({help, targets: list}) {
    targets = new Map(list.split("\n").map((line) => /^(\S+) +(.*)$/.exec(line)).filter(Boolean).map((m) => [m[1], m[2]]));
    targets.delete("native"); // would be the machine of the compiler, which is the browser
    const usual = (/--target NAME=(\w+)/.exec(help) || [])[1];
    fillSelect("target", [...targets.keys()], usual);
    for (const name of ["optimize", "weights"]) {
      const {choices, chosen} = choicesOf(help, name);
      fillSelect(name, choices, chosen);
    }
    for (const field of form.elements) if (field.name && field.name !== "more") field.title = helpOf(help, field.name);
    showTarget();
  }

  function showTarget() {
    document.getElementById("target-text").textContent = targets.get(form.elements.target.value) || "";
  }

  // Fields for the sizes that the model leaves open; what was typed stays.
  function showSizes(names) {
    const kept = new Map([...sizes.querySelectorAll("input")].map((field) => [field.dataset.size, field.value]));
    const all = [...new Set([...names, ...[...kept].filter(([, value]) => value).map(([name]) => name)])];
    if (all.join() === [...kept.keys()].join()) return;
    sizes.hidden = all.length === 0;
    sizes.querySelector("div").replaceChildren(...all.map((name) => {
      const label = document.createElement("label");
      const field = document.createElement("input");
      field.dataset.size = name;
      field.value = kept.get(name) || "";
      field.autocomplete = "off";
      label.append(name, " ", field);
      return label;
    }));
  }

  function clearSizes() {
    sizes.hidden = true;
    sizes.querySelector("div").replaceChildren();
  }

  // Words as a shell divides them, with quotes of both kinds.
  const words = (text) => (text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) || []).map((w) => w.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));

  const isDefault = (field) => [...field.options].some((option) => option.selected && option.defaultSelected);

  // What check and inspect take as well as compile.
  function analysis() {
    const out = [];
    for (const name of ["target", "optimize", "weights"]) {
      if (form.elements[name].value && !isDefault(form.elements[name])) out.push(`--${name}`, form.elements[name].value);
    }
    if (form.elements.threads.value) out.push("--threads", form.elements.threads.value);
    if (form.elements["no-heap"].checked) out.push("--no-heap");
    for (const field of sizes.querySelectorAll("input")) {
      if (field.value.trim()) out.push("--dim", `${field.dataset.size}=${field.value.trim()}`);
    }
    return [...out, ...words(form.elements.more.value)];
  }

  const name = () => form.elements.name.value.trim();

  form.addEventListener("submit", (event) => event.preventDefault());
  form.elements.target.addEventListener("change", showTarget);

  return {form, describe, showSizes, clearSizes, analysis, name};
})();
