// The state of the device as the page knows it: one event stream while the page is visible, else nothing.
import * as api from "./api.js";
import { setZone, instant } from "./units.js";

const BACK_OFF = [1, 2, 5, 10, 30];
const HIDDEN_FOR = 30;
const POLLED_EVERY = 15;
/** A receiver that tracks is heard at least this often, with coalescing. */
const SILENCE_AFTER = 20;

/**
 * What is known. `link` is first, live, polled, lost, asleep, ended, signed-out, or collected for the page of
 * `outrider collect` and of a fleet. Positions are null while unknown.
 */
export const live = {
  link: "first", status: null, access: null, fix: null, sky: null, closing: null, retryAt: null, heardAt: null,
  events: [], raw: [], fixEvery: null, rawMore: 0, received: 0, openedAt: performance.now(),
};

const listeners = new Set();
export function listen(action) {
  listeners.add(action);
  return () => listeners.delete(action);
}
const changed = () => listeners.forEach((action) => action());

const arrivals = {};
const now = () => performance.now() / 1000;
const arrived = (...parts) => parts.forEach((part) => (arrivals[part] = now()));

/** The seconds since a part of the status arrived. */
export const elapsed = (part = "status") => (arrivals[part] === undefined ? 0 : now() - arrivals[part]);
/** An age or duration of a part that grows since its arrival; null if it is unknown. */
export const grown = (seconds, part) => (typeof seconds === "number" ? seconds + elapsed(part) : null);
/** A time to go of a part that shrinks since its arrival; null if it is unknown. */
export const left = (seconds, part) => (typeof seconds === "number" ? Math.max(0, seconds - elapsed(part)) : null);

/** The device's time in milliseconds, from its own clock; null while it is unknown. */
export function deviceTime() {
  const time = instant(live.status?.time);
  return time === null ? null : time + elapsed() * 1000;
}
export const isCurrent = () => live.link === "live" || live.link === "polled";
export const mayWrite = () => live.access === null || live.access.role === "operator";
export const mayLocate = () => live.access === null || ["operator", "positions"].includes(live.access.role);

let source = null;
let timer = null;
let failures = 0;
let hiddenTimer = null;
let lastEvent = null;
let wants = { sky: false, raw: false, live: false };

/** Asks for satellites, raw lines or every epoch, while a screen needs them. */
export function want(changes) {
  const next = { ...wants, ...changes };
  if (JSON.stringify(next) === JSON.stringify(wants)) return;
  wants = next;
  if (!next.sky) live.sky = null;
  if (source) connect();
}
export const wantsLive = () => wants.live;

function schedule(seconds, action) {
  clearTimeout(timer);
  timer = setTimeout(action, seconds * 1000);
}

function close() {
  source?.close();
  source = null;
  clearTimeout(timer);
}

/** Opens the stream, or opens it again. Guests and a collector have none. */
export function connect() {
  close();
  if (["collected", "signed-out"].includes(live.link)) return;
  if (!mayWrite()) return void poll(true);
  const query = Object.keys(wants).filter((name) => wants[name]).map((name) => `${name}=1`).join("&");
  source = new EventSource(query ? `stream?${query}` : "stream");
  const stream = source;
  for (const [name, action] of Object.entries(handlers)) {
    stream.addEventListener(name, (message) => {
      if (stream !== source) return;
      take(name, action, message);
    });
  }
  stream.onerror = () => {
    if (stream !== source) return;
    const isRefused = stream.readyState === EventSource.CLOSED;
    close();
    poll(isRefused);
  };
}

function take(name, action, message) {
  live.received += message.data.length;
  if (message.lastEventId) lastEvent = Number(message.lastEventId) || lastEvent;
  let data;
  try {
    data = JSON.parse(message.data);
  } catch {
    return;
  }
  live.heardAt = now();
  if (name !== "closing") {
    if (live.link !== "live" && live.link !== "first") resume();
    live.link = "live";
    live.closing = null;
    failures = 0;
  }
  action(data);
  changed();
}

const handlers = {
  status: takeStatus,
  tracker: (data) => merge({ tracker: data.tracker, motion: data.motion }),
  trip: (data) => merge({ trip: data.running === false ? undefined : data }),
  queue(data) {
    if (!live.status) return;
    const list = live.status.destinations ?? [];
    arrived(`destination ${data.name}`);
    live.status.destinations = list.map((item) => (item.name === data.name ? data : item));
  },
  fix(list) {
    for (const report of list) if (report.class === "TPV") live.fix = report;
    const { satellites_used: used, satellites_in_view: seen } = live.fix ?? {};
    if (live.status && used !== undefined) live.status.sky = { ...live.status.sky, used, seen };
    live.fixEvery = arrivals.fix === undefined ? null : elapsed("fix");
    arrived("fix");
  },
  event: (data) => addEvents([data]),
  sky(data) {
    live.sky = data;
    arrived("sky");
  },
  raw(data) {
    live.raw = [...live.raw, ...data.lines].slice(-400);
    live.rawMore += data.more ?? 0;
  },
  closing: (data) => (live.closing = data),
  lagged: () => {},
};

function merge(parts) {
  if (!live.status) return;
  Object.assign(live.status, parts);
  arrived(...Object.keys(parts));
}

function takeStatus(status) {
  live.status = status;
  setZone(status.zone);
  arrived("status", "tracker", "motion", "trip", "position", "trial");
  for (const item of status.destinations ?? []) arrived(`destination ${item.name}`);
  const fixTime = instant(live.fix?.time);
  if (fixTime !== null && fixTime < (instant(status.position?.time) ?? 0)) live.fix = null;
}

/** Settings that this page has put on trial, or null after their end; the next status follows. */
export function takeTrial(trial) {
  if (live.status) live.status.settings_trial = trial ?? undefined;
  arrived("trial");
  changed();
}

function addEvents(list) {
  const known = new Set(live.events.map((event) => event.id));
  live.events = [...live.events, ...list.filter((event) => !known.has(event.id))].slice(-300);
  for (const event of list) lastEvent = Math.max(lastEvent ?? 0, event.id);
}

/** After an interruption: the events that the stream did not bring. */
async function resume() {
  if (lastEvent === null) return;
  const missed = await api.get("events", { after: lastEvent }).catch(() => null);
  if (missed) addEvents(missed.events);
  changed();
}

/** Loads the status, and retries later. A stream is refused to guests, and if four are open. */
async function poll(isRefused) {
  const announced = live.closing;
  try {
    if (isRefused) live.access = await api.get("access");
    const status = await api.get("status");
    if (live.link === "signed-out") return;
    takeStatus(status);
    if (!isRefused) {
      live.link = "live";
      return schedule(nextDelay(), connect);
    }
    live.link = "polled";
    live.heardAt = now();
    failures = 0;
    schedule(POLLED_EVERY, () => (document.hidden ? null : connect()));
  } catch (problem) {
    if (live.link === "signed-out") return;
    if (problem.status === 401) return schedule(POLLED_EVERY, connect);
    live.link = announced ? (announced.reason === "host suspends" ? "asleep" : "ended") : "lost";
    const delay = nextDelay();
    live.retryAt = now() + delay;
    schedule(delay, connect);
  } finally {
    changed();
  }
}

function nextDelay() {
  return BACK_OFF[Math.min(failures++, BACK_OFF.length - 1)];
}

/** The seconds without data, if data was due; null while all is well. */
export function silence() {
  if (live.heardAt === null) return live.link === "lost" ? 0 : null;
  const seconds = now() - live.heardAt;
  if (!isCurrent()) return seconds;
  const isTracking = ["tracking", "settling"].includes(live.status?.tracker?.state);
  return live.link === "live" && isTracking && seconds > SILENCE_AFTER ? seconds : null;
}

/** Called every second while the page is visible: a stream that went silent is opened again. */
export function watch() {
  const seconds = silence();
  if (seconds !== null && isCurrent() && seconds > 2 * SILENCE_AFTER) {
    live.heardAt = now() - SILENCE_AFTER;
    failures = Math.max(failures, 1);
    connect();
  }
}

/** Loads who this is, then opens the stream. */
export async function start() {
  try {
    live.access = await api.get("access");
  } catch (problem) {
    live.access = null;
    if (problem.status === 0) live.link = "lost";
  }
  if (live.access?.role === "none") live.link = "signed-out";
  else if (["collector", "fleet"].includes(live.access?.serves)) live.link = "collected";
  else connect();
  changed();
}

/** The last events of the log, oldest first; the stream brings only later ones. */
export const recentEvents = async (count = 5000) => (await api.get("events",
  { after: Math.max(0, (live.status?.log?.last_id ?? 0) - count) }).catch(() => null))?.events ?? [];

export const refreshAccess = async () => {
  live.access = await api.get("access").catch(() => live.access);
  changed();
};

/** Shows the sign-in. */
export function askForToken() {
  close();
  live.link = "signed-out";
  changed();
}

// Guests may not read everything: the role decides.
api.whenRefused(async () => {
  await refreshAccess();
  if (live.access?.role === "none") askForToken();
});

document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenTimer);
  if (document.hidden) {
    hiddenTimer = setTimeout(close, HIDDEN_FOR * 1000);
  } else if (!source) {
    connect();
  }
});
// Browsers keep a page that is left.
window.addEventListener("pagehide", close);
window.addEventListener("pageshow", (event) => event.persisted && !source && connect());
window.addEventListener("offline", () => {
  if (!source) return;
  close();
  poll(false);
});
window.addEventListener("online", () => {
  if (live.link === "lost") connect();
});
