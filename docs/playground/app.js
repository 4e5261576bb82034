// The state of the page: the files, what the compiler is doing, what it found.
(() => {
  const byId = (id) => document.getElementById(id);
  const status = byId("status"), detail = byId("detail"), progress = byId("progress"), cancel = byId("cancel"), download = byId("download");
  const kMostBytes = 500e6;
  const kExample = "example.onnx";
  const kMemory = "The compiler has no more memory: a page gets 2 GB at most, and less on small machines. The command line has no such limit.";

  let files = []; // the model first, then what was dropped beside it
  let job = null; // what runs, or ran last: {model, base, options, analysis, result}
  let busy = false, started = false;

  const panels = [["code", "Code"], ["problems", "Problems"], ["ports", "Inputs and outputs"], ["layers", "Layers"],
    ["memory", "Memory plan"], ["report", "Report"], ["messages", "Command line"]];
  for (const [id, title] of panels) tabs.add(id, title);

  function notice(text) {
    byId("notice").hidden = !text;
    byId("notice").textContent = text;
  }

  function setBusy(now) {
    busy = now;
    progress.classList.toggle("idle", !now);
    detail.textContent = "";
    cancel.hidden = !now;
    download.disabled = now;
    document.querySelector(".results").setAttribute("aria-busy", now);
  }

  const quoted = (word) => /^[\w.\/=:,+-]+$/.test(word) ? word : `'${word}'`;
  const commandOf = (made) => ["onnxc", made.model, ...made.options].map(quoted).join(" ");

  function newJob() {
    const model = files[0].name;
    const base = options.name() || model.replace(/\.[^.]*$/, "") || model;
    const analysis = options.analysis();
    return {model, base, analysis, options: ["-o", `out/${base}`, ...analysis], files, start: performance.now()};
  }

  function run() {
    if (!files.length || !started) return;
    if (busy) compiler.cancel();
    job = newJob();
    setBusy(true);
    download.hidden = true;
    status.textContent = `Compiling ${job.model} …`;
    const {model, analysis} = job;
    compiler.send({action: "run", files, model, options: job.options, analysis}, take);
  }

  // Answers of the worker while a model is compiled.
  const takers = {
    progress: ({text}) => { detail.textContent = `${text} …`; },

    compiled(result) {
      job.result = result;
      const good = result.code === 0;
      const nothing = () => views.element("p", {className: "soft"}, "There is none: the model was refused.");
      tabs.list.hidden = false;
      download.hidden = !good;
      tabs.set("code", good ? () => views.sources(result.files, job.base) : nothing);
      tabs.set("problems", () => views.problems(null, commandOf(job), result));
      tabs.set("memory", result.plan ? () => memoryPlan.view(result.plan) : nothing);
      tabs.set("report", result.report ? () => views.report(result.report) : nothing);
      tabs.set("messages", () => views.messages(commandOf(job), result.lines));
      tabs.select(good ? openTab() : "problems");
      if (!good && result.lines.some(({text}) => /out of memory/.test(text))) notice(kMemory);
      job.shown = performance.now() - job.start;
    },

    checked({check}) {
      job.check = check;
      const count = check ? check.errors + check.warnings : 0;
      tabs.set("problems", () => views.problems(check, commandOf(job), job.result), count ? String(count) : "");
    },

    inspected({inspect}) {
      job.inspect = inspect;
      const nothing = () => views.element("p", {className: "soft"}, "The model cannot be read.");
      tabs.set("ports", inspect ? () => views.ports(inspect) : nothing);
      tabs.set("layers", inspect ? () => views.layers(inspect) : nothing);
      if (inspect) options.showSizes(inspect.dynamic_dims);
    },

    done() {
      const {code, milliseconds} = job.result;
      const problems = job.check ? `${job.check.errors} ${job.check.errors === 1 ? "error" : "errors"}, ` : "";
      status.textContent = code === 0 ? `${job.model}: compiled in ${(milliseconds / 1000).toFixed(2)} s`
        : `${job.model} is refused: ${problems}exit code ${code}`;
      setBusy(false);
    },

    warm() { document.body.dataset.warm = "yes"; },

    failed({memory, text}) {
      if (!job) return compiler.cancel(); // the warm-up
      const why = memory ? kMemory : "The compiler ended without a result.";
      job.failed = true;
      status.textContent = `${job.model}: ${text}`;
      notice(`${why} (${text})`);
      setBusy(false);
      compiler.cancel(); // a program that ended so is not used again
    },
  };

  function take(message) {
    takers[message.type](message);
  }

  // After a model that was refused, the code of the next.
  function openTab() {
    const before = tabs.selected();
    return before && before !== "problems" ? before : "code";
  }

  // ---- files

  const isModel = (file) => /\.(onnx|ort|pb|pbtxt|json|textproto|onnxtxt)$/i.test(file.name);

  function takeFiles(list) {
    const given = [...list];
    if (!given.length) return;
    notice("");
    const model = given.find((file) => /\.onnx$/i.test(file.name)) || (files.length ? null : given.find(isModel) || given[0]);
    if (model) {
      files = [model, ...given.filter((file) => file !== model)];
      options.clearSizes();
    } else {
      // Data of the model that is already here.
      const names = new Set(given.map((file) => file.name));
      files = [files[0], ...files.slice(1).filter((file) => !names.has(file.name)), ...given];
    }
    showFiles();
    run();
  }

  function showFiles() {
    const size = files.reduce((sum, file) => sum + file.size, 0);
    const rows = files.map((file) => views.element("li", {}, `${file.name}, ${views.bytes(file.size)}`));
    byId("model").replaceChildren(views.element("ul", {}, ...rows));
    byId("model").hidden = false;
    if (size > kMostBytes) {
      notice(`${views.bytes(size)} are more than this page is made for (500 MB): the browser may have too little memory. The command line takes them.`);
    }
  }

  function listenToDrops() {
    const zone = byId("drop");
    const over = (on) => zone.classList.toggle("over", on);
    // All of the page takes files, as a miss would leave it.
    addEventListener("dragover", (event) => { event.preventDefault(); over(true); });
    addEventListener("dragleave", (event) => { if (!event.relatedTarget) over(false); });
    addEventListener("drop", (event) => {
      event.preventDefault();
      over(false);
      takeFiles(event.dataTransfer.files);
    });
    byId("files").addEventListener("change", (event) => {
      takeFiles(event.target.files);
      event.target.value = "";
    });
  }

  async function example() {
    if (location.protocol === "file:") return new File([Uint8Array.from(atob(local.example), (letter) => letter.charCodeAt(0))], kExample);
    const answer = await fetch(kExample);
    return new File([await answer.blob()], kExample);
  }

  // ---- the package

  function save(blob, name) {
    const link = views.element("a", {href: URL.createObjectURL(blob), download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  function takeBundle(message) {
    if (message.type !== "bundled") return take(message);
    setBusy(false);
    if (message.code !== 0) {
      status.textContent = `No package: exit code ${message.code}`;
      tabs.set("messages", () => views.messages(`${commandOf(job)} --bundle ${job.base}`, message.lines));
      tabs.select("messages");
      return;
    }
    status.textContent = `${job.base}.zip: ${views.bytes(message.archive.size)}`;
    job.archive = message.archive;
    save(message.archive, `${job.base}.zip`);
  }

  function makeBundle() {
    setBusy(true);
    status.textContent = `Packing ${job.base}.zip …`;
    // Weights that are a file of their own beside the code stay one; the default of a package is text, five times as large.
    const separate = job.result.files.some((file) => file.name.endsWith(".bin")) && !job.options.includes("--weights");
    const words = [...job.options, ...(separate ? ["--weights", "incbin"] : [])];
    compiler.send({action: "bundle", model: job.model, options: words, folder: job.base}, takeBundle);
  }

  function stop() {
    compiler.cancel();
    setBusy(false);
    download.hidden = true; // its files went with the worker
    status.textContent = "Cancelled";
  }

  // ---- start

  function ready(described) {
    options.describe(described);
    started = true;
    setBusy(false);
    status.textContent = `${described.version} is ready`;
    document.body.dataset.ready = "yes";
    if (files.length) run(); // of a model that was dropped early
    else warmUp().catch(() => {});
  }

  // Browsers compile a function when it is called first: the example calls those that a model needs, before there is one.
  async function warmUp() {
    const file = await example();
    if (!files.length) compiler.send({action: "warmUp", file}, take);
  }

  function cannotStart(problem) {
    setBusy(false);
    cancel.hidden = true;
    status.textContent = "The compiler did not start";
    const serve = "Serve this folder, for example by `python3 -m http.server`, and open http://localhost:8000.";
    const missing = "docs/playground/build.sh puts the compiler beside this page.";
    notice(`The compiler did not start: ${problem.message}. ` +
      (location.protocol === "file:" ? `This browser does not run it from a file, or this folder has no compiler. ${serve} ${missing}` : missing));
  }

  async function start() {
    setBusy(true);
    cancel.hidden = true;
    // Where the results are below, they should not be far below.
    byId("choices").open = !matchMedia("(max-width: 56rem)").matches;
    listenToDrops();
    byId("example").addEventListener("click", () => example().then((file) => takeFiles([file])).catch((problem) => notice(problem.message)));
    cancel.addEventListener("click", stop);
    download.addEventListener("click", makeBundle);
    options.form.addEventListener("change", run);
    await compiler.start();
    compiler.send({action: "describe"}, (message) => message.type === "described" ? ready(message) : cannotStart(new Error(message.text)));
  }

  start().catch(cannotStart);
})();
