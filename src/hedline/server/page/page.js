// The page: listens to typing and options, asks the server, keeps its state in the address.

import { describe, headlines, pause, Trouble, useKey } from "./api.js";
import * as options from "./options.js";
import * as result from "./result.js";
import * as upload from "./upload.js";

const $ = (id) => document.getElementById(id);
const PAUSE = 500; // milliseconds without a key before a headline is asked for
const MOST_SHARED = 6000; // characters of a text that a link still holds
const EXAMPLES = {
  "City council": "The city council voted 7-2 on Tuesday night to close the old harbour bridge for six months of repairs after engineers found cracks in three of its supports, a spokeswoman said.",
  "Central bank": "The central bank left its main interest rate unchanged at 3.5 percent on Thursday, saying that inflation was slowing more quickly than it had expected in the spring.",
  Sports: "Substitute Lena Farrow scored twice in the last ten minutes as Northgate United came from behind to beat Ashford 3-2 and reach the cup final for the first time in 41 years.",
  Science: "Researchers at the University of Elmsworth have found that bees which drink caffeinated nectar remember the scent of a flower three times as long as those which do not.",
  Weather: "A winter storm left more than 200,000 homes without electricity across the north on Sunday and forced airlines to cancel hundreds of flights, officials said.",
};

let timer = 0, asking = null, asked = "";

// ---- asking

function soon() {
  clearTimeout(timer);
  $("text-count").textContent = $("text").value ? `${result.size.words($("text").value).toLocaleString()} words, ${result.size.chars($("text").value).toLocaleString()} characters` : "";
  if (!$("answer").hidden) result.showCounts();
  timer = setTimeout(ask, PAUSE);
}

async function ask() {
  clearTimeout(timer);
  const text = $("text").value;
  remember(); // here and not at every key: browsers allow few changes of the address a second
  asking?.abort();
  if (!text.trim()) {
    result.clear();
    asked = "";
    return;
  }
  const chosen = options.chosen();
  const request = JSON.stringify([text, chosen]);
  if (request === asked) return;
  asking = new AbortController();
  const mine = asking;
  $("working").textContent = "Writing …";
  try {
    const [answer] = await headlines([text], chosen, { explain: true, signal: mine.signal });
    asked = request;
    result.show(answer);
    $("command").textContent = options.commandLine(text, chosen);
    notice("");
  } catch (error) {
    if (error.name === "AbortError") return;
    await explain(error, mine);
  } finally {
    if (asking === mine) $("working").textContent = "";
  }
}

// Say kindly what went wrong; where waiting helps, wait and try again unless something newer was asked.
async function explain(error, mine) {
  if (!(error instanceof Trouble)) throw error;
  if (error.kind === "key") {
    $("key-form").hidden = false;
    $("key").focus();
    return;
  }
  notice(error.message, error.kind !== "wrong");
  if (error.kind === "wrong") return;
  await pause(error.seconds);
  if (asking === mine && !mine.signal.aborted) ask();
}

function notice(text, again = false) {
  $("notice").hidden = !text;
  if (!text) return;
  $("notice").textContent = text;
  if (again) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Try now" });
    button.addEventListener("click", ask);
    $("notice").append(" ", button);
  }
}

// ---- the address holds text and options, after the #, which never reaches the server

function address() {
  const state = new URLSearchParams();
  if ($("text").value.length <= MOST_SHARED) state.set("text", $("text").value);
  for (const [name, value] of Object.entries(options.chosen())) state.set(name, JSON.stringify(value));
  return `#${state}`;
}

function remember() {
  history.replaceState(null, "", $("text").value ? address() : location.pathname + location.search);
}

function restore() {
  const state = new URLSearchParams(location.hash.slice(1));
  if (!state.get("text")) return;
  const given = {};
  for (const [name, value] of state) {
    if (name === "text") continue;
    try { given[name] = JSON.parse(value); } catch { /* a link that someone shortened: leave it out */ }
  }
  $("text").value = state.get("text");
  options.apply(given);
}

// ---- small things

async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // without HTTPS there is no clipboard; a selection works everywhere
    const field = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  $("done").textContent = done;
  setTimeout(() => { $("done").textContent = ""; }, 2500);
}

function theme() {
  const read = () => { try { return localStorage.getItem("hedline.theme"); } catch { return null; } };
  const dark = () => document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const name = () => { $("theme").textContent = dark() ? "Light" : "Dark"; $("theme").setAttribute("aria-label", `Use ${dark() ? "light" : "dark"} colours`); };
  if (read()) document.documentElement.dataset.theme = read();
  $("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("hedline.theme", document.documentElement.dataset.theme); } catch { /* not kept, then */ }
    name();
  });
  name();
}

function listen() {
  $("text").addEventListener("input", soon);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      asked = "";
      ask();
    }
  });
  for (const [label, text] of Object.entries(EXAMPLES)) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
    button.addEventListener("click", () => { $("text").value = text; soon(); ask(); });
    $("examples").append(button);
  }
  $("copy").addEventListener("click", () => copy(result.current(), "Copied"));
  $("share").addEventListener("click", () => {
    const whole = $("text").value.length <= MOST_SHARED;
    copy(location.origin + location.pathname + address(), whole ? "Link copied" : "Link with the options copied; the text is too long for a link");
  });
  $("edit").addEventListener("click", () => result.setEditing($("edited").hidden));
  $("edited").addEventListener("input", result.showCounts);
  $("map-details").addEventListener("toggle", result.showMap);
  $("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    useKey($("key").value);
    $("key-form").hidden = true;
    start();
  });
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    link.addEventListener("click", (event) => { // the address keeps the text
      event.preventDefault();
      const target = $(link.hash.slice(1));
      target.scrollIntoView();
      (target.querySelector("input") ?? target).focus({ preventScroll: true });
    });
  }
  result.listenForArrows();
  window.addEventListener("hashchange", () => { restore(); ask(); });
}

let built = false;

async function start() {
  for (;;) {
    try {
      const server = await describe();
      notice("");
      if (!built) {
        options.build(server.options, soon);
        upload.setUp(server.limits);
        built = true;
        restore();
      }
      soon();
      return ask();
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      if (error.kind === "key") {
        $("key-form").hidden = false;
        return;
      }
      notice(error.message);
      await pause(error.seconds || 3);
    }
  }
}

theme();
listen();
start();
