// The worker that holds the compiler: started with the page, ended to cancel, started again with the same module.
const compiler = (() => {
  let module = null, source = null, worker = null;
  let listener = () => {}; // of the present worker
  let ready = null;

  async function textOf(name) {
    const answer = await fetch(name);
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer.text();
  }

  async function compiledModule() {
    const name = "onnxc_web.wasm";
    try {
      return await WebAssembly.compileStreaming(fetch(name));
    } catch {
      // Servers that do not know the type of the file.
      const answer = await fetch(name);
      return WebAssembly.compile(await answer.arrayBuffer());
    }
  }

  // Pages from `file:` cannot read files; they can run scripts, and local.js has everything as text.
  async function loadLocal() {
    await new Promise((done, fail) => {
      const script = document.createElement("script");
      script.src = "local.js";
      script.onload = done;
      script.onerror = () => fail(new Error("local.js cannot be read"));
      document.head.append(script);
    });
    const packed = Uint8Array.from(atob(local.module), (letter) => letter.charCodeAt(0));
    const bytes = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
    return [local.worker, await WebAssembly.compile(await bytes.arrayBuffer())];
  }

  async function load() {
    if (location.protocol === "file:") {
      [source, module] = await loadLocal();
      return;
    }
    const texts = Promise.all(["onnxc_web.js", "zip.js", "worker.js"].map(textOf));
    [source, module] = await Promise.all([texts.then((parts) => parts.join("\n")), compiledModule()]);
  }

  // A worker of this text has the policy of the page; one of an address would have none.
  function startWorker() {
    const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
    worker = new Worker(address);
    ready = new Promise((done, fail) => {
      worker.onmessage = ({data}) => {
        if (data.type === "started") done();
        else listener(data);
      };
      worker.onerror = (event) => {
        fail(new Error(event.message || "the worker does not start"));
        listener({type: "failed", memory: /memory/i.test(event.message), text: event.message || "the worker ended"});
      };
    });
    ready.finally(() => URL.revokeObjectURL(address)).catch(() => {});
    worker.postMessage({action: "start", module});
  }

  async function start() {
    if (typeof WebAssembly === "undefined") throw new Error("this browser has no WebAssembly");
    await load();
    startWorker();
    await ready;
  }

  // Sends a message; `listen` gets the answers.
  async function send(message, listen) {
    listener = listen;
    const wanted = worker;
    await ready;
    if (wanted === worker) worker.postMessage(message);
  }

  function cancel() {
    worker.terminate();
    listener = () => {};
    startWorker();
  }

  return {start, send, cancel};
})();
