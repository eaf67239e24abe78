// Talking to the server: one function asks for headlines, errors say what a person can do.

const KEY = "hedline.key";

export class Trouble extends Error {
  // kind: "down" (no answer), "busy" (try again after `seconds`), "key" (one is needed), "wrong" (said by the server)
  constructor(kind, message, seconds = 0) {
    super(message);
    this.kind = kind;
    this.seconds = seconds;
  }
}

export function useKey(key) {
  try { sessionStorage.setItem(KEY, key); } catch { /* private windows may refuse; the key then lasts for this page */ }
  useKey.key = key;
}

function headers() {
  let key = useKey.key;
  try { key ||= sessionStorage.getItem(KEY); } catch { /* as above */ }
  return { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) };
}

async function call(path, init = {}) {
  let response;
  try {
    response = await fetch(path, { ...init, headers: headers() });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble("down", "The server does not answer. Your text is kept; it is tried again every few seconds.", 3);
  }
  if (response.ok) return response.json();
  const said = await response.json().catch(() => ({}));
  const seconds = Number(response.headers.get("Retry-After")) || 2;
  if (response.status === 401) throw new Trouble("key", said.error ?? "This server asks for a key.");
  if (response.status === 429) throw new Trouble("busy", `The server is busy just now. Trying again in ${seconds} s.`, seconds);
  if ([502, 503, 504].includes(response.status)) {
    throw new Trouble("busy", `The server is not ready: ${said.error ?? "it is starting"}. Trying again in ${seconds} s.`, seconds);
  }
  throw new Trouble("wrong", said.error ?? `The server answered ${response.status}.`);
}

export const describe = () => call("v1/models");

export async function headlines(texts, options, { explain = false, signal } = {}) {
  const body = JSON.stringify({ texts, options, explain });
  return (await call("v1/headlines", { method: "POST", body, signal })).headlines;
}

export const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
