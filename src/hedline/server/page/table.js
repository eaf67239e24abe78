// Tables as text: CSV and TSV with quotes and line breaks, JSONL; read, add a column, write again.

export function readTable(name, text) {
  const kind = /\.(jsonl|ndjson)$/i.test(name) ? "jsonl" : /\.tsv$/i.test(name) ? "tsv" : /\.csv$/i.test(name) ? "csv" : null;
  if (!kind) throw new Error("The file's name must end in .csv, .tsv, .jsonl or .ndjson.");
  const mark = text.startsWith("\ufeff") ? "\ufeff" : ""; // Excel tells UTF-8 by it
  const plain = text.slice(mark.length);
  const end = /^[^\n]*\r\n/.test(plain) ? "\r\n" : "\n";
  return { mark, end, ...(kind === "jsonl" ? readJsonLines(plain) : readDelimited(plain, kind)) };
}

// Text of a file that must be UTF-8; anything else would come back damaged.
export function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("It is not UTF-8. Save it as UTF-8 (in Excel: “CSV UTF-8”).");
  }
}

// Rows keep their line: writing it anew would round large numbers.
function readJsonLines(text) {
  const rows = [];
  text.split("\n").forEach((line, number) => {
    if (!line.trim()) return;
    let value;
    try { value = JSON.parse(line); } catch { throw new Error(`Line ${number + 1} is not JSON.`); }
    if (!value || typeof value !== "object" || Array.isArray(value)) throw new Error(`Line ${number + 1} is not a JSON object.`);
    rows.push({ value, line: line.trim() });
  });
  const columns = [...new Set(rows.slice(0, 200).flatMap((row) => Object.keys(row.value)))];
  const texts = columns.filter((key) => rows.some((row) => typeof row.value[key] === "string"));
  return { kind: "jsonl", columns: texts, taken: columns, rows, get: (row, column) => String(row.value[column] ?? "") };
}

function readDelimited(text, kind) {
  const records = kind === "csv" ? splitQuoted(text) : splitPlain(text);
  const [columns, ...rows] = records;
  if (!columns) throw new Error("The file is empty.");
  if (columns.length === 1 && columns[0].includes(";")) throw new Error("Its cells seem to be separated by semicolons; separate them by commas.");
  rows.forEach((row, number) => {
    if (row.length !== columns.length) throw new Error(`Row ${number + 2} has ${row.length} fields, the first row ${columns.length}.`);
  });
  return { kind, columns, taken: columns, rows, get: (row, column) => row[columns.indexOf(column)] ?? "" };
}

// TSV as most programs write it knows no quotes.
const splitPlain = (text) => text.split(/\r?\n/).filter(Boolean).map((line) => line.split("\t"));

function splitQuoted(text) {
  const records = [];
  let record = [], field = "", quoted = false, begun = false;
  const endField = () => { record.push(field); field = ""; begun = false; };
  const endRecord = () => {
    if (record.length || field || begun) { endField(); records.push(record); }
    record = [];
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') { field += '"'; at++; }
      else quoted = false;
    } else if (letter === '"' && !field) { quoted = true; begun = true; }
    else if (letter === ",") endField();
    else if (letter === "\n") endRecord();
    else if (letter !== "\r" || text[at + 1] !== "\n") field += letter;
  }
  if (quoted) throw new Error("A quotation mark is not closed.");
  endRecord();
  return records;
}

// The column that holds the texts: by its name, else the one with the longest values.
export function guessColumn({ columns, rows, get }) {
  const named = columns.find((name) => /^(lead|text|sentence|article|body|content|description)$/i.test(name));
  if (named) return named;
  const sample = rows.slice(0, 50);
  const length = (name) => sample.reduce((sum, row) => sum + get(row, name).length, 0);
  return [...columns].sort((a, b) => length(b) - length(a))[0];
}

export function writeTable({ kind, mark, end, columns, taken, rows }, headlines) {
  let name = "headline";
  while (taken.includes(name)) name += "_new";
  if (kind === "jsonl") return mark + rows.map((row, at) => addField(row.line, name, headlines[at]) + end).join("");
  const cell = kind === "csv" ? quoteCell : (value) => value.replace(/[\t\r\n]+/g, " ");
  const line = (cells) => cells.map(cell).join(kind === "csv" ? "," : "\t") + end;
  return mark + line([...columns, name]) + rows.map((row, at) => line([...row, headlines[at]])).join("");
}

function addField(line, name, value) {
  const before = line.slice(0, -1).trimEnd();
  return `${before}${before.endsWith("{") ? "" : ", "}${JSON.stringify(name)}: ${JSON.stringify(value)}}`;
}

const quoteCell = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
