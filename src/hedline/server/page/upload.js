// A whole file: read here, sent in parts, given back with headlines; nothing of it is stored on the server.

import { headlines, pause, Trouble } from "./api.js";
import { chosen } from "./options.js";
import { decode, guessColumn, readTable, writeTable } from "./table.js";

const $ = (id) => document.getElementById(id);
const PART = 32; // texts a request, so that progress moves
const TOGETHER = 2; // requests under way
const MOST_BYTES = 200e6;

let table = null, name = "", stopping = null, link = "", limits = { texts: PART, body_bytes: 1e6 };

export function setUp(serverLimits) {
  limits = serverLimits;
  $("file").addEventListener("change", () => take($("file").files[0]));
  $("start").addEventListener("click", run);
  $("cancel").addEventListener("click", () => stopping?.abort());
  for (const event of ["dragover", "dragleave", "drop"]) {
    $("drop").addEventListener(event, (happened) => {
      happened.preventDefault();
      $("drop").classList.toggle("over", event === "dragover");
      if (event === "drop") take(happened.dataTransfer.files[0]);
    });
  }
}

async function take(file) {
  if (!file) return;
  table = null;
  $("job").hidden = false;
  for (const id of ["download", "progress"]) $(id).hidden = true;
  $("progress-text").textContent = "";
  try {
    if (file.size > MOST_BYTES) throw new Error("This file is too large for a page; hedline summarize takes files of any size.");
    table = readTable(file.name, decode(await file.arrayBuffer()));
    if (!table.columns.length || !table.rows.length) throw new Error("There are no texts in this file.");
    name = file.name;
    $("file-facts").textContent = `${file.name}: ${table.rows.length.toLocaleString()} ${table.rows.length === 1 ? "row" : "rows"}`;
    $("column").replaceChildren(...table.columns.map((column) => new Option(column, column)));
    $("column").value = guessColumn(table);
  } catch (error) {
    $("file-facts").textContent = `${file.name} cannot be used: ${error.message}`;
  }
  for (const id of ["column", "start"]) $(id).disabled = !table;
}

async function run() {
  const texts = table.rows.map((row) => table.get(row, $("column").value));
  const found = new Array(texts.length);
  const options = { ...chosen() };
  delete options.nbest;
  delete options.diversity;
  stopping = new AbortController();
  working(true);
  const started = performance.now();
  let done = 0;
  const parts = cut(texts);
  const worker = async () => {
    for (let part = parts.shift(); part && !stopping.signal.aborted; part = parts.shift()) {
      const answers = await patiently(part.map((at) => texts[at]), options);
      part.forEach((at, index) => { found[at] = answers[index].headline; });
      done += part.length;
      progress(done, texts.length, (performance.now() - started) / 1000);
    }
  };
  try {
    await Promise.all(Array.from({ length: TOGETHER }, worker));
    if (stopping.signal.aborted) throw new DOMException("stopped", "AbortError");
    offer(writeTable(table, found));
  } catch (error) {
    stopping.abort();
    $("progress-text").textContent = error.name === "AbortError" ? `Stopped after ${done} texts.` : error.message;
  }
  working(false);
}

// Places of the texts, in parts that the server takes.
function cut(texts) {
  const parts = [];
  let part = [], bytes = 0;
  texts.forEach((text, at) => {
    if (part.length >= Math.min(PART, limits.texts) || (part.length && bytes + 4 * text.length > limits.body_bytes / 2)) {
      parts.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(at);
    bytes += 4 * text.length;
  });
  return part.length ? [...parts, part] : parts;
}

// Ask until the server has time; only a wrong request is an error.
async function patiently(texts, options) {
  for (;;) {
    try {
      return await headlines(texts, options, { signal: stopping.signal });
    } catch (error) {
      if (!(error instanceof Trouble) || !["busy", "down"].includes(error.kind)) throw error;
      $("progress-text").textContent = error.message;
      await pause(error.seconds);
    }
  }
}

function progress(done, total, seconds) {
  $("progress").value = done / total;
  const rate = done / seconds;
  const left = Math.ceil((total - done) / rate);
  $("progress-text").textContent = `${done.toLocaleString()} of ${total.toLocaleString()} texts, ${rate.toFixed(rate < 10 ? 1 : 0)} a second`
    + (done < total ? `, ${left < 90 ? `${left} s` : `${Math.ceil(left / 60)} min`} left` : "");
}

function working(on) {
  for (const id of ["start", "column", "file"]) $(id).disabled = on;
  $("cancel").hidden = !on;
  if (on) {
    $("progress").hidden = false;
    $("progress").value = 0;
    $("download").hidden = true;
    $("progress-text").textContent = "Starting …";
  }
}

function offer(text) {
  URL.revokeObjectURL(link);
  link = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  $("download").href = link;
  $("download").download = name.replace(/(\.\w+)$/, ".headlines$1");
  $("download").hidden = false;
  $("download").focus();
}
