// Requests to the logger. Every URL is relative, so that the page works below the path of a proxy.

/** A failed request: `status` is 0 if there was no answer; `detail` is the sentence of the logger. */
export class Problem extends Error {
  constructor(status, detail, errors, retryAfter) {
    super(detail);
    Object.assign(this, { status, detail, errors: errors ?? [], retryAfter });
  }
}

let onRefused = () => {};
/** Calls `action` if a request is answered with 401. */
export const whenRefused = (action) => (onRefused = action);

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "no answer from the device");
  }
  const text = await response.text().catch(() => "");
  let body = null;
  try {
    body = text ? JSON.parse(text) : null;
  } catch {
    if (response.ok) throw new Problem(0, "the answer of the device is incomplete; try again");
  }
  if (response.ok) return body;
  if (response.status === 401 && path !== "login") onRefused();
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  throw new Problem(response.status, body?.detail ?? `${response.status} ${response.statusText}`, body?.errors,
    retryAfter);
}

const query = (path, parameters) => {
  const entries = Object.entries(parameters ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return entries.length ? `${path}?${new URLSearchParams(entries)}` : path;
};

/** The logger reads four histories at a time. */
const AT_A_TIME = 2;
let running = 0;
const waiting = [];

export async function get(path, parameters, signal) {
  if (running >= AT_A_TIME) await new Promise((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await request(query(path, parameters), { signal });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** A request that changes something. The header shows that it does not come from another site. */
export function send(method, path, body, parameters) {
  const headers = { Outrider: "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return request(query(path, parameters), { method, headers, body: body === undefined ? undefined
    : JSON.stringify(body) });
}
export const post = (path, body, parameters) => send("POST", path, body, parameters);
export const patchSettings = (changes, parameters) => send("PATCH", "settings", changes, parameters);
