// What the panels show, made of what the compiler says.
const views = (() => {
  const kMostRows = 2000;

  // element("p", {className: "soft"}, "text", child...)
  function element(tag, properties, ...children) {
    const made = document.createElement(tag);
    Object.assign(made, properties);
    made.append(...children);
    return made;
  }

  function bytes(count) {
    if (typeof count !== "number") return String(count ?? "");
    const units = ["bytes", "KiB", "MiB", "GiB"];
    let unit = 0;
    while (count >= 1024 && unit < 3) [count, unit] = [count / 1024, unit + 1];
    return `${unit ? count.toFixed(count < 10 ? 2 : 1) : count} ${units[unit]}`;
  }

  const number = (value) => typeof value === "number" ? value.toLocaleString("en") : String(value ?? "");

  // table(["Name", "#Bytes"], rows): columns with # are numbers.
  function table(titles, rows, caption) {
    const classes = titles.map((title) => title.startsWith("#") ? "number" : "");
    const cells = (tag, row) => row.map((cell, i) => {
      const made = element(tag, {className: classes[i]}, cell ?? "");
      if (tag === "th") made.scope = "col";
      return made;
    });
    const head = element("tr", {}, ...cells("th", titles.map((title) => title.replace("#", ""))));
    const shown = rows.slice(0, kMostRows).map((row) => element("tr", {}, ...cells("td", row)));
    const made = element("table", {}, ...(caption ? [element("caption", {}, caption)] : []), element("thead", {}, head),
      element("tbody", {}, ...shown));
    const out = [element("div", {className: "table"}, made)];
    if (rows.length > kMostRows) out.push(element("p", {className: "soft"}, `${number(rows.length - kMostRows)} more rows are left out.`));
    return out;
  }

  const code = (text) => element("code", {}, text);

  // Lines as the command prints them, after the command.
  function messages(command, lines) {
    const printed = lines.map(({text}) => text + "\n");
    return element("pre", {className: "messages"}, element("strong", {}, `$ ${command}\n`), ...printed);
  }

  function diagnostic({level, id, where, node, message}) {
    const facts = [];
    if (node) {
      const operator = `${node.domain ? node.domain + "::" : ""}${node.op_type}${node.version ? "-" + node.version : ""}`;
      facts.push(["Node", `${node.index}${node.name ? " " + node.name : ""}`], ["Operator", operator]);
    } else if (where) {
      facts.push(["Where", where]);
    }
    const field = /\bfield ([\w.[\]]+)/.exec(message);
    if (field) facts.push(["Field", field[1]]);
    const list = element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, code(value))]));
    return element("li", {className: `problem ${level}`},
      element("p", {}, element("strong", {}, level), " ", code(id)), element("p", {}, message), ...(facts.length ? [list] : []));
  }

  function problems(check, command, run) {
    const out = [];
    if (check && check.diagnostics.length) out.push(element("ul", {className: "problem-list"}, ...check.diagnostics.map(diagnostic)));
    else if (run.code === 0) out.push(element("p", {}, "No problems: the model compiles."));
    if (run.code !== 0) out.push(element("h2", {}, "What the command line prints"), messages(command, run.lines));
    return out;
  }

  const typeOf = (port) => code(port.type);
  function quantised({scale, zero_point: zero}) {
    if (scale === undefined) return "";
    return `${zero ? `(q ${zero < 0 ? "+" : "-"} ${Math.abs(zero)})` : "q"} * ${scale.toPrecision(6)}`;
  }

  function ports(inspect) {
    const rows = (list) => list.map((port) => [code(port.name), typeOf(port), quantised(port)]);
    const facts = [["Graph", inspect.graph], ["Made by", `${inspect.producer} ${inspect.producer_version}`.trim()],
      ["Opsets", Object.entries(inspect.opsets).map(([domain, version]) => `${domain} ${version}`).join(", ")],
      ["Nodes", number(inspect.nodes)], ["Parameters", `${number(inspect.parameters)} (${bytes(inspect.parameter_bytes)})`],
      ["Multiply-accumulates", number(inspect.macs)], ["Arena", bytes(inspect.arena_bytes)], ["Weights", bytes(inspect.weight_bytes)],
      ["Open sizes", inspect.dynamic_dims.join(", ")], ["Hints", inspect.hints.join("; ")]];
    const shown = facts.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
    const titles = ["Name", "Type", "Value of an integer q"];
    return [...table(titles, rows(inspect.inputs), "Inputs"), ...table(titles, rows(inspect.outputs), "Outputs"),
      element("h2", {}, "Model"), element("dl", {className: "facts"}, ...shown), ...operators(inspect)];
  }

  function operators(inspect) {
    const rows = inspect.operators.map((op) => [code(`${op.domain ? op.domain + "::" : ""}${op.name}`), number(op.version),
      number(op.count), op.supported ? op.note || "yes" : `no: ${op.note || ""}`]);
    return table(["Operator", "#Version", "#Nodes", "Supported"], rows, "Operators");
  }

  function layers(inspect) {
    const rows = inspect.layers.map((layer) => [layer.name, code(layer.operator),
      layer.outputs.filter(Boolean).map((value) => value.type).join(", "), number(layer.parameters), number(layer.macs),
      layer.share ? `${(100 * layer.share).toFixed(1)} %` : ""]);
    return table(["Layer", "Operator", "Output", "#Parameters", "#MACs", "#Share"], rows, `${number(rows.length)} layers, as the model has them`);
  }

  function report(text) {
    const frame = element("iframe", {title: "Report", src: "report_frame.html"});
    frame.sandbox = "allow-scripts";
    addEventListener("message", function hand(event) {
      if (event.source !== frame.contentWindow) return;
      removeEventListener("message", hand);
      frame.contentWindow.postMessage(text, "*");
    });
    return frame;
  }

  function fileView(file) {
    if (file.text === null) return element("p", {className: "soft"}, `${bytes(file.size)} of data; the zip has them.`);
    const out = [element("div", {className: "source", tabIndex: 0, role: "region", ariaLabel: file.name}, highlight.render(file.text))];
    if (file.cut) out.push(element("p", {className: "soft"}, `The first ${bytes(file.text.length)} of ${bytes(file.size)}; the zip has all.`));
    return out;
  }

  // The sources first, then the largest of the rest.
  function sources(files, name) {
    const first = [`${name}.cpp`, `${name}.h`];
    const place = (file) => first.includes(file.name) ? first.indexOf(file.name) : first.length;
    const sorted = [...files].sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name));
    const select = element("select", {id: "file"}, ...sorted.map((file, i) => new Option(`${file.name} (${bytes(file.size)})`, i)));
    const view = element("div", {});
    const copy = element("button", {type: "button", hidden: !navigator.clipboard}, "Copy");
    const show = () => {
      const file = sorted[select.value];
      copy.disabled = file.text === null || file.cut;
      view.replaceChildren(...[fileView(file)].flat());
    };
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(sorted[select.value].text);
      copy.textContent = "Copied";
      setTimeout(() => { copy.textContent = "Copy"; }, 1500);
    });
    select.addEventListener("change", show);
    show();
    return [element("div", {className: "bar"}, element("label", {}, "File ", select), copy), view];
  }

  return {element, bytes, number, table, code, messages, problems, ports, layers, report, sources};
})();
