// The answer on the screen: marked words, counts, candidates, where words come from, the heat map.

import { limit } from "./options.js";

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const CELL = 20;
const KIND = { copied: "from the text", new: "a new word", unsupported: "not supported by the text: check it" };

let answer = null; // the server's record, with details
let place = 0; // the candidate that is shown

export const size = {
  words: (text) => text.split(/\s+/u).filter(Boolean).length,
  chars: (text) => [...text].length,
  bytes: (text) => new TextEncoder().encode(text).length,
};

export function show(record) {
  answer = record;
  place = 0;
  $("empty").hidden = true;
  $("answer").hidden = false;
  showNotes();
  showCandidates();
  showCandidate(0);
}

export function clear() {
  answer = null;
  $("empty").hidden = false;
  $("answer").hidden = true;
}

export const current = () => ($("edited").hidden ? headline() : $("edited").value);
const candidate = () => answer?.nbest[place] ?? null;
const headline = () => candidate()?.headline ?? answer?.headline ?? "";

function showCandidate(number) {
  place = number;
  setEditing(false);
  const words = candidate() ? spans(headline(), candidate().tokens) : [];
  $("said").textContent = headline();
  $("headline").replaceChildren(...(words.length ? marked(words) : [headline() || "(empty)"]));
  showRead();
  showMap();
  showCounts();
}

// The tokens' places in the text: [{start, end, index}], in order; tokens that are written otherwise are left out.
export function spans(text, tokens) {
  const found = [];
  let cursor = 0;
  tokens.forEach((token, index) => {
    const start = text.indexOf(token, cursor);
    if (start < 0 || start - cursor > 60) return;
    found.push({ start, end: start + token.length, index });
    cursor = start + token.length;
  });
  return found;
}

function kindOf(index) {
  const { tokens, known, unsupported } = candidate();
  const plain = (word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").replace(/['’]s$/u, "");
  if (unsupported.some((word) => plain(word) && plain(word) === plain(tokens[index]))) return "unsupported";
  return known[index] ? "copied" : "new";
}

function marked(words) {
  const text = headline();
  const parts = [];
  let cursor = 0;
  words.forEach(({ start, end, index }, number) => {
    parts.push(text.slice(cursor, start));
    const word = Object.assign(document.createElement("button"), { type: "button", className: `word ${kindOf(index)}` });
    word.textContent = text.slice(start, end);
    word.tabIndex = number ? -1 : 0;
    word.setAttribute("aria-label", `${word.textContent}: ${KIND[kindOf(index)]}${origin(index)}`);
    for (const event of ["pointerenter", "focus", "click"]) word.addEventListener(event, () => light(index, word));
    for (const event of ["pointerleave", "blur"]) word.addEventListener(event, () => light(-1, null));
    parts.push(word);
    cursor = end;
  });
  return [...parts, text.slice(cursor)];
}

function origin(index) {
  const row = candidate().alignment[index];
  const best = row.indexOf(Math.max(...row));
  return row[best] > 0.15 ? `; mostly from “${answer.source[best]}”` : "";
}

// Arrow keys go through the words.
export function listenForArrows() {
  $("headline").addEventListener("keydown", (event) => {
    const words = [...$("headline").querySelectorAll(".word")];
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = words.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = words[(at + step + words.length) % words.length];
    for (const word of words) word.tabIndex = word === next ? 0 : -1;
    next.focus();
  });
}

// Light up the words of the text that a word of the headline looked at; -1 puts the lights out.
function light(index, word) {
  for (const each of $("headline").querySelectorAll(".shown")) each.classList.remove("shown");
  word?.classList.add("shown");
  const row = index < 0 ? [] : candidate().alignment[index];
  const most = Math.max(0.0001, ...row);
  for (const span of $("read").querySelectorAll("[data-word]")) {
    const weight = row[Number(span.dataset.word)] ?? 0;
    span.style.setProperty("--weight", weight / most > 0.12 ? (weight / most).toFixed(3) : 0);
  }
}

function showRead() {
  const lead = answer.lead;
  const places = spans(lead, answer.source);
  if (places.length < 0.8 * answer.source.length) {
    $("read").replaceChildren(...answer.source.flatMap((word, index) => [sourceWord(word, index), " "]));
    return;
  }
  const parts = [];
  let cursor = 0;
  for (const { start, end, index } of places) {
    parts.push(lead.slice(cursor, start), sourceWord(lead.slice(start, end), index));
    cursor = end;
  }
  const rest = lead.slice(cursor);
  const unread = Object.assign(document.createElement("span"), { className: "unread" });
  unread.textContent = rest.length > 400 ? `${rest.slice(0, 400)} …` : rest;
  $("read").replaceChildren(...parts, unread);
}

function sourceWord(text, index) {
  const span = document.createElement("span");
  span.dataset.word = index;
  span.textContent = text;
  return span;
}

function showNotes() {
  const notes = answer.notes ?? [];
  $("notes").hidden = !notes.length;
  $("notes").replaceChildren(...notes.map((note) => Object.assign(document.createElement("li"), { textContent: note })));
}

function showCandidates() {
  $("candidates-field").hidden = answer.nbest.length < 2;
  const counted = limit()?.kind ?? "chars";
  $("candidates").replaceChildren(...answer.nbest.map((each, number) => {
    const label = Object.assign(document.createElement("label"), { className: "candidate" });
    const input = Object.assign(document.createElement("input"), { type: "radio", name: "candidate", checked: number === 0 });
    input.addEventListener("change", () => showCandidate(number));
    const text = Object.assign(document.createElement("span"), { textContent: each.headline });
    const count = Object.assign(document.createElement("span"), { className: "size" });
    count.textContent = `${size[counted](each.headline)} ${counted === "chars" ? "characters" : counted}`;
    if (each.unsupported.length) {
      const check = Object.assign(document.createElement("em"), { textContent: ` check: ${each.unsupported.join(", ")}` });
      text.append(check);
    }
    label.append(input, text, count);
    return label;
  }));
}

export function showCounts() {
  const text = current();
  const bound = limit();
  const names = { words: "words", chars: "characters", bytes: "bytes" };
  const parts = Object.entries(names).map(([kind, name]) => {
    const span = document.createElement("span");
    const count = size[kind](text);
    const bold = Object.assign(document.createElement("b"), { textContent: count });
    const limited = bound?.kind === kind;
    if (limited) span.className = count > bound.most ? "limited over" : "limited";
    span.append(bold, limited ? ` of ${bound.most} ${name}` : ` ${count === 1 ? name.slice(0, -1) : name}`);
    if (limited && count > bound.most) span.append(`, ${count - bound.most} too many`);
    return span;
  });
  if (bound) {
    const share = Math.min(1, size[bound.kind](text) / bound.most);
    const meter = Object.assign(document.createElement("div"), { className: "meter" });
    if (size[bound.kind](text) > bound.most) meter.classList.add("over");
    const fill = document.createElement("i");
    fill.style.width = `${100 * share}%`;
    meter.append(fill);
    parts.push(meter);
  }
  $("counts").replaceChildren(...parts);
}

export function setEditing(on) {
  if (on) $("edited").value = headline();
  $("edited").hidden = !on;
  $("headline").hidden = on;
  $("edit").setAttribute("aria-pressed", String(on));
  if (on) $("edited").focus();
  showCounts();
}

// The heat map of the paper's Figure 1: words of the headline down, words of the text across.
export function showMap() {
  if (!$("map-details").open || !candidate()) return;
  const { tokens, alignment } = candidate();
  const left = 14 + 7.2 * Math.max(...tokens.map((token) => token.length));
  const top = 14 + 6.2 * Math.max(...answer.source.map((word) => word.length));
  const [width, height] = [left + CELL * answer.source.length + top / 2 + 8, top + CELL * tokens.length + 6];
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  svg.append(draw("title", {}, `Alignment of “${headline()}”`));
  answer.source.forEach((word, column) => {
    const x = left + CELL * (column + 0.7);
    svg.append(draw("text", { transform: `translate(${x},${top - 6}) rotate(-60)` }, word));
  });
  tokens.forEach((token, row) => {
    const kind = kindOf(row);
    svg.append(draw("text", { x: left - 7, y: top + CELL * row + 14, "text-anchor": "end", class: kind }, token));
    alignment[row].forEach((weight, column) => {
      const cell = draw("rect", { x: left + CELL * column, y: top + CELL * row, width: CELL - 1, height: CELL - 1, rx: 3, "fill-opacity": Math.max(weight, 0.04) });
      cell.append(draw("title", {}, `${token} ← ${answer.source[column]}: ${Math.round(100 * weight)} %`));
      svg.append(cell);
    });
  });
  $("map").replaceChildren(svg);
}

function draw(name, attributes, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}
