// A headless Chromium by the DevTools protocol, and a server of one folder.
import {spawn} from "node:child_process";
import {createReadStream, existsSync, mkdirSync, statSync, writeFileSync} from "node:fs";
import http from "node:http";
import path from "node:path";

const kTypes = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm"};

// The address of a server that offers the folder.
export function serve(folder) {
  const server = http.createServer((request, answer) => {
    const file = path.join(folder, path.normalize(decodeURIComponent(request.url.split("?")[0])));
    if (!existsSync(file) || !statSync(file).isFile()) return answer.writeHead(404).end();
    answer.writeHead(200, {"Content-Type": kTypes[path.extname(file)] || "application/octet-stream"});
    createReadStream(file).pipe(answer);
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done({server, address: `http://127.0.0.1:${server.address().port}/`})));
}

export class Browser {
  constructor(program, profile) {
    // A pipe in place of a port: there is nothing to find, and nothing that others can reach.
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--disable-dev-shm-usage",
      "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"];
    this.process = spawn(program, flags, {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    this.next = 1;
    this.waiting = new Map();
    this.listeners = [];
    let text = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (part) => {
      text += part;
      const messages = text.split("\0");
      text = messages.pop();
      for (const message of messages) this.take(JSON.parse(message));
    });
  }

  take(message) {
    if (!message.id) return this.listeners.forEach((listen) => listen(message));
    const {done, fail} = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) fail(new Error(message.error.message));
    else done(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
    return new Promise((done, fail) => this.waiting.set(id, {done, fail}));
  }

  async open(address, options = {}) {
    const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
    const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
    const page = new Page(this, sessionId);
    await page.prepare(options);
    await page.send("Page.navigate", {url: address});
    return page;
  }

  end() {
    const gone = new Promise((done) => this.process.on("exit", done));
    this.process.kill();
    return gone;
  }
}

class Page {
  constructor(browser, session) {
    Object.assign(this, {browser, session, requests: [], complaints: []});
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async prepare({width = 1200, height = 900, dark = false, downloads = null}) {
    this.browser.listeners.push(({sessionId, method, params}) => {
      if (sessionId === this.session) this.listen(method, params);
    });
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(`${domain}.enable`);
    await this.send("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: width < 600});
    await this.send("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
    if (downloads) await this.browser.send("Browser.setDownloadBehavior", {behavior: "allow", downloadPath: downloads});
  }

  listen(method, params) {
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === "Log.entryAdded" && params.entry.level === "error") this.complaints.push(`${params.entry.text} ${params.entry.url || ""}`);
    if (method === "Runtime.consoleAPICalled" && params.type === "error") this.complaints.push(params.args.map((a) => a.value).join(" "));
  }

  async evaluate(expression) {
    const {result, exceptionDetails} = await this.send("Runtime.evaluate", {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  // Waits until the expression is true; what it is then.
  async until(expression, seconds = 60) {
    for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
      // While a page loads, what the expression asks for may not exist.
      const value = await this.evaluate(expression).catch(() => null);
      if (value) return value;
      await new Promise((done) => setTimeout(done, 20));
    }
    throw new Error(`not within ${seconds} s: ${expression}; the status: ${await this.evaluate("document.getElementById('status')?.textContent")}`);
  }

  async choose(selector, files) {
    const {root} = await this.send("DOM.getDocument");
    const {nodeId} = await this.send("DOM.querySelector", {nodeId: root.nodeId, selector});
    await this.send("DOM.setFileInputFiles", {nodeId, files});
  }

  async drop(files) {
    const data = {items: [], files, dragOperationsMask: 1};
    for (const type of ["dragEnter", "dragOver", "drop"]) await this.send("Input.dispatchDragEvent", {type, x: 150, y: 200, data});
  }

  async key(key) {
    for (const type of ["rawKeyDown", "keyUp"]) await this.send("Input.dispatchKeyEvent", {type, key, code: key, windowsVirtualKeyCode: {Tab: 9, End: 35, Home: 36, ArrowLeft: 37, ArrowRight: 39}[key]});
  }

  async picture(file) {
    mkdirSync(path.dirname(file), {recursive: true});
    const {data} = await this.send("Page.captureScreenshot", {format: "png"});
    writeFileSync(file, Buffer.from(data, "base64"));
  }
}
