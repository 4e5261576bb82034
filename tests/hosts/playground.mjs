// Uses the playground as a person does, and writes what it shows into the folder `theirs`.
// usage: playground.mjs WORK CHROMIUM; playground_test.sh made WORK/site and WORK/models
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from "node:fs";
import path from "node:path";
import {Browser, serve} from "./browser.mjs";

const [work, program] = process.argv.slice(2);
const {MODEL, PICTURES} = process.env;
const model = (name) => `${work}/models/${name}.onnx`;
const write = (name, text) => writeFileSync(`${work}/theirs/${name}`, text);
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function expect(what, text) {
  if (!what) throw new Error(text);
}

const kIdle = "document.querySelector('.results').getAttribute('aria-busy') === 'false'";
const kStatus = "document.getElementById('status').textContent";
const select = (tab) => `document.getElementById("tab-${tab}").click()`;
const panel = (tab) => `document.getElementById("panel-${tab}").innerText`;

async function picture(page, name) {
  if (PICTURES) await page.picture(`${PICTURES}/${name}.png`);
}

// Gives files, and waits until all of the answers are there.
async function give(page, files, how = "drop") {
  await page.evaluate("document.getElementById('status').textContent = ''");
  if (how === "drop") await page.drop(files);
  else await page.choose("#files", files);
  await page.until(`${kStatus} && ${kIdle}`);
}

async function setOptions(page, values) {
  await page.evaluate(`{
    const form = document.getElementById("options");
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) {
      if (form.elements[name].type === "checkbox") form.elements[name].checked = value;
      else form.elements[name].value = value;
    }
    form.dispatchEvent(new Event("change", {bubbles: true}));
  }`);
  await page.until(kIdle);
}

// The code that is on the screen, file by file.
async function saveCode(page, names) {
  await page.evaluate(select("code"));
  for (const name of names) {
    const text = await page.evaluate(`{
      const select = document.getElementById("file");
      select.value = [...select.options].find((option) => option.text.startsWith(${JSON.stringify(name + " ")})).value;
      select.dispatchEvent(new Event("change"));
      [...document.querySelectorAll(".lines code")].map((part) => part.textContent).join("\\n") + "\\n";
    }`);
    write(name, text);
  }
}

async function bytesOfTheCommandLine(page) {
  await give(page, [model("cnn")]);
  await saveCode(page, ["cnn.cpp", "cnn.h", "onnxc_runtime.hpp"]);
  await give(page, [model("keywords")], "choose");
  await setOptions(page, {target: "cortex-m4f", optimize: "size", weights: "string", "no-heap": true, name: "spotter"});
  await saveCode(page, ["spotter.cpp"]);
  await setOptions(page, {target: "generic", optimize: "speed", weights: "auto", "no-heap": false, name: ""});
  await give(page, [model("open")]);
  await page.until("!document.getElementById('sizes').hidden");
  await page.evaluate("document.querySelector('#sizes input').value = '4'");
  await setOptions(page, {});
  await saveCode(page, ["open.cpp"]);
  write("targets", (await page.evaluate("[...document.querySelector('[name=target]').options].map((o) => o.value).join('\\n')")) + "\n");
}

// The frame has no origin, and so a process of its own.
async function textOfReport(page) {
  for (let i = 0; i < 100; i++, await sleep(50)) {
    const {targetInfos} = await page.browser.send("Target.getTargets", {filter: [{type: "iframe"}]});
    if (!targetInfos.length) continue;
    const {sessionId} = await page.browser.send("Target.attachToTarget", {targetId: targetInfos[0].targetId, flatten: true});
    const {result} = await page.browser.send("Runtime.evaluate", {expression: "document.body.innerText"}, sessionId);
    if (result.value && result.value.trim()) return result.value;
  }
  return "";
}

async function views(page) {
  await give(page, [model("keywords")]);
  const wanted = {problems: "No problems", ports: "features", layers: "DequantizeLinear-13", memory: "at the peak", messages: "onnxc keywords.onnx"};
  for (const [tab, words] of Object.entries(wanted)) {
    await page.evaluate(select(tab));
    expect((await page.evaluate(panel(tab))).includes(words), `${tab} does not say ${words}`);
    await picture(page, tab);
  }
  await page.evaluate(select("report"));
  expect(/memory plan/i.test(await textOfReport(page)), "no report");
  await picture(page, "report");
  await page.evaluate(select("code"));
}

async function errors(page) {
  for (const name of ["cut", "unknown"]) {
    await give(page, [model(name)]);
    expect((await page.evaluate(kStatus)).includes("refused"), `${name} is not refused`);
    const shown = await page.evaluate("[...document.querySelector('#panel-problems .messages').childNodes].slice(1).map((n) => n.textContent).join('')");
    write(`${name}.said`, shown);
    await picture(page, `error_${name}`);
  }
  const facts = await page.evaluate("document.querySelector('.problem').innerText");
  expect(/unknown-operator/.test(facts) && /com\.example::Frobnicate/.test(facts), `the problem says ${facts}`);
  expect(await page.evaluate("document.getElementById('download').hidden"), "a refused model has a zip");
}

// In the middle of a compilation, as soon as a pass is over.
async function cancel(page) {
  await page.evaluate(`{
    const detail = document.getElementById("detail");
    window.cancelled = false;
    new MutationObserver((_, observer) => {
      if (!detail.textContent.startsWith("After")) return;
      observer.disconnect();
      document.getElementById("cancel").click();
      window.cancelled = true;
    }).observe(detail, {childList: true});
  }`);
  await page.drop([model("keywords")]);
  await page.until("window.cancelled");
  expect(await page.evaluate(kStatus) === "Cancelled", "cancel is not said");
  await sleep(500);
  expect(await page.evaluate(kStatus) === "Cancelled", "it goes on after a cancel");
  await give(page, [model("cnn")]);
  expect((await page.evaluate(kStatus)).includes("compiled"), "nothing compiles after a cancel");
}

async function archive(page) {
  await page.evaluate("document.getElementById('download').click()");
  await page.until(`${kStatus}.includes("zip") && ${kIdle}`);
  const file = `${work}/theirs/cnn.zip`;
  for (let i = 0; i < 100 && !existsSync(file); i++) await sleep(50);
  expect(existsSync(file), "no zip");
}

async function keyboard(page) {
  await page.evaluate("document.getElementById('tab-code').focus()");
  const selected = "document.querySelector('[role=tab][aria-selected=true]').id";
  for (const [key, id] of [["ArrowRight", "tab-problems"], ["End", "tab-messages"], ["ArrowRight", "tab-code"], ["ArrowLeft", "tab-messages"], ["Home", "tab-code"]]) {
    await page.key(key);
    expect(await page.evaluate(selected) === id && await page.evaluate("document.activeElement.id") === id, `${key} does not lead to ${id}`);
  }
  const nameless = await page.evaluate(`[...document.querySelectorAll("input, select, button, iframe, [role=tablist]")].filter((e) =>
    !(e.labels && e.labels.length) && !e.textContent.trim() && !e.title && !e.getAttribute("aria-label")).map((e) => e.outerHTML)`);
  expect(nameless.length === 0, `without a name: ${nameless}`);
  // Every control comes in its turn.
  await page.evaluate("document.activeElement.blur(), scrollTo(0, 0)");
  const seen = new Set();
  for (let i = 0; i < 20; i++) {
    await page.key("Tab");
    seen.add(await page.evaluate("document.activeElement.id || document.activeElement.name"));
  }
  for (const id of ["files", "example", "target", "more", "download", "tab-code", "file"]) expect(seen.has(id), `Tab does not reach ${id}: ${[...seen]}`);
}

async function policy(page, address) {
  const other = await page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')");
  expect(other === "refused", "the page may ask others");
  page.complaints = []; // of that
  const foreign = page.requests.filter((request) => !request.startsWith(address) && !request.startsWith("blob:") && !request.includes("example.org"));
  expect(foreign.length === 0, `asked for ${foreign}`);
}

async function narrow(browser, address) {
  for (const dark of [false, true]) {
    const page = await browser.open(`${address}index.html`, {width: 400, height: 800, dark});
    await page.until("document.body.dataset.ready");
    await page.evaluate("document.getElementById('example').click()");
    await page.until(`${kStatus}.includes("compiled") && ${kIdle}`);
    for (const tab of ["code", "ports", "layers", "memory", "messages"]) {
      await page.evaluate(select(tab));
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(width <= 400, `${tab} is ${width} wide`);
      await page.evaluate("document.getElementById('tabs').scrollIntoView()");
      await picture(page, `narrow_${dark ? "dark_" : ""}${tab}`);
    }
    expect(page.complaints.length === 0, page.complaints.join("\n"));
  }
}

// Many models, and all that the page shows of them.
async function many(browser, address) {
  const list = readFileSync(`${work}/list`, "utf8").trim().split("\n");
  const page = await browser.open(`${address}index.html`);
  await page.until("document.body.dataset.ready");
  await setOptions(page, {name: "m"});
  const other = [];
  let refused = 0;
  for (const [i, file] of list.entries()) {
    const folder = path.dirname(file);
    const beside = readdirSync(folder, {withFileTypes: true}).filter((e) => e.isFile() && e.name !== "model.onnx").map((e) => `${folder}/${e.name}`);
    await give(page, [...beside, file]);
    const good = (await page.evaluate(kStatus)).includes("compiled");
    refused += good ? 0 : 1;
    const shown = good ? "[...document.querySelectorAll('#panel-code .lines code')].map((part) => part.textContent).join('\\n') + '\\n'"
      : "[...document.querySelectorAll('#panel-problems .messages')[0].childNodes].slice(1).map((n) => n.textContent).join('')";
    for (const tab of ["problems", "ports", "layers", "memory", "messages", "report", "code"]) await page.evaluate(select(tab));
    if (!good) await page.evaluate(select("problems"));
    const text = await page.evaluate(shown);
    if (text !== readFileSync(`${work}/ours/${i + 1}.many`, "utf8")) other.push(file);
    expect(page.complaints.length === 0, `${file}: ${page.complaints.join("\n")}`);
  }
  console.log(`many: ${list.length} models, ${refused} of them refused`);
  expect(other.length === 0, `other bytes than the command line's: ${other.join("\n")}`);
}

// From `file:`, as Chromium allows it.
async function fromFile(browser) {
  const page = await browser.open(`file://${work}/site/index.html`);
  await page.until("document.body.dataset.ready");
  await give(page, [model("cnn")]);
  await page.evaluate(select("code"));
  const text = await page.evaluate("[...document.querySelectorAll('.lines code')].map((part) => part.textContent).join('\\n') + '\\n'");
  expect(text === readFileSync(`${work}/ours/cnn.cpp`, "utf8"), "other bytes from file:");
  expect(page.complaints.length === 0, page.complaints.join("\n"));
}

async function time(browser, address) {
  for (const state of ["as soon as the compiler is there", "first model", "next model"]) {
    const page = await browser.open(`${address}index.html`);
    await page.until("document.body.dataset.ready");
    if (state === "first model") await page.until("document.body.dataset.warm");
    if (state === "next model") await give(page, [model("cnn")]);
    const base = MODEL.replace(/.*\//, "").replace(/\.onnx$/, "");
    // On screen: in the document, and a frame was painted.
    await page.evaluate(`window.painted = new Promise((done) => {
      let start = 0;
      addEventListener("drop", () => { start = performance.now(); }, {capture: true});
      new MutationObserver((_, observer) => {
        const file = document.getElementById("file");
        if (!file || !file.options[0].text.startsWith("${base}.cpp")) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
      }).observe(document.getElementById("panels"), {childList: true, subtree: true});
    }), 0`);
    await page.drop([MODEL]);
    console.log(`time from the drop to the code, ${state}: ${Math.round(await page.evaluate("window.painted"))} ms`);
  }
}

mkdirSync(`${work}/theirs`, {recursive: true});
const {server, address} = await serve(`${work}/site`);
const browser = new Browser(program, `${work}/profile`);
try {
  const page = await browser.open(`${address}index.html`, {downloads: `${work}/theirs`});
  await page.until("document.body.dataset.ready");
  await picture(page, "empty");
  for (const step of [bytesOfTheCommandLine, views, errors, cancel, archive, keyboard, (p) => policy(p, address)]) {
    await step(page);
    expect(page.complaints.length === 0, page.complaints.join("\n"));
  }
  await narrow(browser, address);
  await fromFile(browser);
  await many(browser, address);
  if (MODEL) await time(browser, address);
} finally {
  await browser.end();
  server.close();
}
