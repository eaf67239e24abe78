// The options: controls for those that most people want, plain fields for all others the server knows.

const $ = (id) => document.getElementById(id);
const LIMITS = {
  words: { min: 3, max: 20, usual: 10, unit: "words" },
  exact_words: { min: 3, max: 20, usual: 8, unit: "words" },
  chars: { min: 20, max: 140, usual: 75, unit: "characters" },
  bytes: { min: 20, max: 140, usual: 75, unit: "bytes" },
};
const SWITCHES = {
  guard_numbers: "No invented numbers",
  guard_names: "No invented names",
  guard_meaning: "Keep not, unless, except",
  block_repeats: "No word twice",
};
const CASES = { sentence: "Sentence case", title: "Title Case", "as-trained": "As trained" };
const OWN = new Set([...Object.keys(LIMITS), ...Object.keys(SWITCHES), "mode", "case", "abstractiveness", "nbest", "diversity", "weights"]);
const USUAL = { nbest: 4, diversity: 0.3 };

let schema = {};

// Build what depends on the server's own list of options; changed: called after every change.
export function build(known, changed) {
  schema = known;
  for (const [name, label] of Object.entries(SWITCHES)) if (known[name]) $("switches").append(switchFor(name, label));
  if (known.case) {
    $("case-field").hidden = false;
    for (const value of known.case.enum.filter((each) => each !== null)) $("case").append(radio("case", value, CASES[value] ?? value, known.case.default));
  }
  for (const [name, entry] of Object.entries(known)) if (!OWN.has(name)) $("more").append(fieldFor(name, entry));
  $("options").addEventListener("input", () => { showValues(); changed(); });
  $("limit-kind").addEventListener("change", () => { setLimit($("limit-kind").value); showValues(); changed(); });
  $("reset").addEventListener("click", () => { apply({}); changed(); });
  $("options").addEventListener("submit", (event) => event.preventDefault());
  apply({});
}

function switchFor(name, text) {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type: "checkbox", id: `switch-${name}`, role: "switch" });
  label.append(input, text);
  return label;
}

function radio(name, value, text, usual) {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type: "radio", name, value, defaultChecked: value === usual });
  const span = Object.assign(document.createElement("span"), { textContent: text });
  label.append(input, span);
  return label;
}

function fieldFor(name, entry) {
  const label = document.createElement("label");
  label.append(Object.assign(document.createElement("b"), { textContent: name.replaceAll("_", " ") }));
  const kind = [entry.type].flat()[0];
  const choices = entry.enum?.filter((each) => each !== null) ?? (kind === "boolean" ? ["true", "false"] : null);
  let field;
  if (choices) {
    field = document.createElement("select");
    const usual = entry.default === null ? "the model's" : String(entry.default);
    field.append(new Option(`usual (${usual})`, ""), ...choices.map((each) => new Option(each, each)));
  } else {
    field = Object.assign(document.createElement("input"), { type: "number", placeholder: entry.default ?? "the model's" });
    field.step = kind === "integer" ? 1 : "any";
    if (entry.maximum) field.max = entry.maximum;
  }
  field.id = `more-${name}`;
  label.append(field);
  if (entry.description) label.append(Object.assign(document.createElement("small"), { textContent: entry.description }));
  return label;
}

// The options of a request: only what differs from the server's defaults.
export function chosen() {
  const options = {};
  const kind = $("limit-kind").value;
  if (kind) options[kind] = Number($("limit").value);
  const mode = document.querySelector("input[name=mode]:checked")?.value;
  if (mode && mode !== "abstractive") options.mode = mode;
  const letters = document.querySelector("input[name=case]:checked")?.value;
  if (letters && letters !== schema.case?.default) options.case = letters;
  if (Number($("abstractiveness").value)) options.abstractiveness = Number($("abstractiveness").value);
  if (Number($("nbest").value) > 1) {
    options.nbest = Number($("nbest").value);
    if (Number($("diversity").value)) options.diversity = Number($("diversity").value);
  }
  for (const name of Object.keys(SWITCHES)) if ($(`switch-${name}`)?.checked === false) options[name] = false;
  for (const [name, entry] of Object.entries(schema)) {
    const value = $(`more-${name}`)?.value ?? "";
    if (value === "") continue;
    const plain = [entry.type].flat()[0];
    options[name] = plain === "boolean" ? value === "true" : ["integer", "number"].includes(plain) ? Number(value) : value;
  }
  return options;
}

// Set the controls from options, as a link holds them; what is missing becomes usual.
export function apply(options) {
  const kind = Object.keys(LIMITS).find((name) => options[name]) ?? "";
  setLimit(kind, options[kind]);
  check("mode", options.mode ?? "abstractive");
  check("case", options.case ?? schema.case?.default);
  $("abstractiveness").value = options.abstractiveness ?? 0;
  const empty = !Object.keys(options).length;
  $("nbest").value = options.nbest ?? (empty ? USUAL.nbest : 1);
  $("diversity").value = options.diversity ?? (empty ? USUAL.diversity : 0);
  for (const name of Object.keys(SWITCHES)) {
    const field = $(`switch-${name}`);
    if (field) field.checked = options[name] !== false;
  }
  for (const name of Object.keys(schema)) {
    const field = $(`more-${name}`);
    if (field) field.value = options[name] ?? "";
  }
  showValues();
}

function check(name, value) {
  for (const input of document.querySelectorAll(`input[name=${name}]`)) input.checked = input.value === value;
}

function setLimit(kind, value) {
  $("limit-kind").value = kind;
  $("limit").hidden = !kind;
  if (!kind) return;
  const bounds = LIMITS[kind];
  Object.assign($("limit"), { min: bounds.min, max: Math.max(bounds.max, value ?? 0) });
  $("limit").value = value ?? bounds.usual;
}

function showValues() {
  const kind = $("limit-kind").value;
  $("limit-value").textContent = kind ? `${$("limit").value} ${LIMITS[kind].unit}` : "";
  $("limit").setAttribute("aria-valuetext", $("limit-value").textContent || "no limit");
  $("nbest-value").textContent = $("nbest").value;
  $("diversity-value").textContent = Number($("diversity").value).toFixed(1);
  $("diversity").disabled = $("nbest").value === "1";
}

// What the headline is counted against: {kind: "words" | "chars" | "bytes", most} or null.
export function limit() {
  const kind = $("limit-kind").value;
  return kind ? { kind: kind === "exact_words" ? "words" : kind, most: Number($("limit").value) } : null;
}

// The same request for a terminal.
export function commandLine(text, options) {
  const parts = ["hedline", `'${text.replaceAll("'", "'\\''").replace(/\s+/g, " ").trim()}'`];
  for (const [name, value] of Object.entries(options)) {
    const flag = name.replaceAll("_", "-");
    parts.push(value === true ? `--${flag}` : value === false ? `--no-${flag}` : `--${flag} ${value}`);
  }
  return parts.join(" ");
}
