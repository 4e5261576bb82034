// Runs the compiler: one program for each model and options, whose files are in its memory. compiler.js puts
// onnxc_web.js and zip.js before this text.
const kFolder = "/model";
// Of longer files only the beginning goes to the page.
const kMostText = 16 << 20;

let module = null; // as it was compiled, for every program
let program = null; // the one whose files are kept
let lines = []; // what a command printed: {error, text}
let onLine = () => {};

function print(error, text) {
  lines.push({error, text});
  onLine(text);
}

async function newProgram() {
  program = null; // before the next one takes memory
  program = await createOnnxc({
    print: (text) => print(false, text),
    printErr: (text) => print(true, text),
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance, module), (problem) => failed(problem));
      return {};
    },
  });
}

// Runs a command; {code, lines}.
function command(words) {
  lines = [];
  const code = program.callMain(words);
  return {code, lines};
}

const output = (words) => command(words).lines.filter((line) => !line.error).map((line) => line.text).join("\n");

function parsed(words) {
  try {
    return JSON.parse(output(words));
  } catch {
    return null; // a model that cannot be read prints no JSON
  }
}

function filesBelow(folder, prefix = "") {
  const names = program.FS.readdir(folder).filter((name) => name !== "." && name !== "..");
  return names.sort().flatMap((name) => {
    const path = `${folder}/${name}`;
    if (program.FS.isDir(program.FS.stat(path).mode)) return filesBelow(path, `${prefix}${name}/`);
    return [{name: prefix + name, bytes: program.FS.readFile(path)}];
  });
}

function exists(path) {
  return program.FS.analyzePath(path).exists;
}

function textOf(file) {
  const isText = /\.(h|hpp|cpp|c|S|txt|md)$/.test(file.name);
  const part = isText ? new TextDecoder().decode(file.bytes.subarray(0, kMostText)) : null;
  return {name: file.name, size: file.bytes.length, text: part, cut: isText && file.bytes.length > kMostText};
}

async function newFolder() {
  await newProgram();
  program.FS.mkdir(kFolder);
  program.FS.chdir(kFolder);
}

async function takeFiles(files) {
  await newFolder();
  for (const file of files) {
    postMessage({type: "progress", text: `Reading ${file.name}`});
    const bytes = await file.arrayBuffer().catch((problem) => {
      // Folders, too, are files of a drop.
      throw problem.name === "NotFoundError" || problem.name === "NotReadableError" ? new Error(`${file.name} cannot be read`) : problem;
    });
    program.FS.writeFile(file.name, new Uint8Array(bytes), {canOwn: true});
  }
}

const kReports = ["--report", "report.json", "--report", "report.html"];

function compile(job) {
  const passes = /^pass +\d+ +(\S+)/;
  postMessage({type: "progress", text: "Reading the model"});
  onLine = (text) => {
    const pass = passes.exec(text);
    if (pass) postMessage({type: "progress", text: `After ${pass[1].replace(/_/g, " ")}`});
  };
  const run = command(["compile", job.model, ...job.options, ...kReports, "--verbose"]);
  onLine = () => {};
  run.lines = run.lines.filter((line) => !passes.test(line.text));
  return run;
}

const actions = {
  async start(job) {
    module = job.module;
    await newProgram();
    postMessage({type: "started"});
  },

  describe() {
    postMessage({type: "described", help: output(["compile", "--help"]), targets: output(["compile", "--target", "list"]),
      version: output(["--version"])});
  },

  // Of this model nothing is shown, and no error.
  async warmUp({file}) {
    try {
      await newFolder();
      program.FS.writeFile(file.name, new Uint8Array(await file.arrayBuffer()));
      command(["compile", file.name, "-o", "out/warm", ...kReports]);
      command(["check", file.name, "--json"]);
      command(["inspect", file.name, "--json", "--layers"]);
    } catch {
      // A model that somebody drops will tell.
    }
    postMessage({type: "warm"});
  },

  async run(job) {
    await takeFiles(job.files);
    const start = performance.now();
    const {code, lines} = compile(job);
    const files = exists("out") ? filesBelow("out").map(textOf) : [];
    const report = exists("report.html") ? program.FS.readFile("report.html", {encoding: "utf8"}) : null;
    const plan = exists("report.json") ? JSON.parse(program.FS.readFile("report.json", {encoding: "utf8"})) : null;
    postMessage({type: "compiled", code, lines, files, report, plan, milliseconds: performance.now() - start});
    postMessage({type: "progress", text: "Listing problems"});
    postMessage({type: "checked", check: parsed(["check", job.model, ...job.analysis, "--json"])});
    postMessage({type: "progress", text: "Listing layers"});
    postMessage({type: "inspected", inspect: parsed(["inspect", job.model, ...job.analysis, "--json", "--layers"])});
    postMessage({type: "done"});
  },

  async bundle(job) {
    postMessage({type: "progress", text: "Making the package"});
    const {code, lines} = command(["compile", job.model, ...job.options, "--bundle", "bundle"]);
    if (code !== 0) return postMessage({type: "bundled", code, lines});
    postMessage({type: "progress", text: "Packing"});
    const files = filesBelow("bundle").map((file) => ({name: `${job.folder}/${file.name}`, bytes: file.bytes}));
    files.push({name: `${job.folder}/report.html`, bytes: program.FS.readFile("report.html")});
    postMessage({type: "bundled", code, lines, archive: await zip.make(files)});
  },
};

function failed(problem) {
  const text = String(problem && problem.message || problem);
  const memory = problem instanceof RangeError || /memory|OOM|allocation/i.test(text);
  postMessage({type: "failed", memory, text});
}

// One after the other, as all use the same program.
let before = Promise.resolve();
onmessage = ({data}) => {
  before = before.then(() => actions[data.action](data)).catch(failed);
};
