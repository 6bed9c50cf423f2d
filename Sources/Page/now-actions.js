// Cards of the Now screen that change something: trip, destinations, send interval.
import { h } from "./dom.js";
import { T } from "./texts.js";
import { icon } from "./icons.js";
import { grown, left, mayWrite } from "./live.js";
import * as units from "./units.js";
import { get, post, patchSettings } from "./api.js";
import { act, ask } from "./dialog.js";

const INTERVALS = ["1s", "5s", "10s", "15s", "30s", "1m", "2m", "5m", "10m", "30m", "off"];
let chosenMode = null;
let interval = null;
let isAsked = false;

/** Loads the two settings that the cards show. */
async function load() {
  isAsked = true;
  const answer = await get("settings").catch(() => null);
  const value = (key) => answer?.settings.find((item) => item.key === key)?.value;
  chosenMode ??= value("trip_mode") ?? "bicycle";
  interval = value("send_interval") ?? null;
}

async function chooseMode(trip) {
  const choices = h("div", { class: "modes" });
  const answer = ask(T.trip.mode, choices, []);
  const dialog = choices.closest("dialog");
  for (const [mode, name] of Object.entries(T.modes)) {
    choices.append(h("button", { "aria-pressed": mode === (trip?.mode ?? chosenMode) ? "true" : "false",
      onclick: async () => {
      chosenMode = mode;
      dialog.close();
      if (trip) await act(null, () => post("trips", { action: "mode", mode }));
    } }, icon(mode), name));
  }
  await answer;
}

/** The trip: mode, duration, distance, start and stop. */
export function tripCard(status) {
  if (!isAsked && mayWrite()) load();
  const { trip } = status;
  const mode = trip?.mode ?? chosenMode ?? "bicycle";
  const start = (event) => act(event, () => post("trips", { action: "start", mode }));
  const stop = (event) => act(event, () => post("trips", { action: "stop" }), (answer) =>
    (answer?.ended ? T.trip.ended(units.length(answer.ended.distance_m), units.stopwatch(answer.ended.duration_s))
      : T.trip.none));
  const since = units.instant(trip?.start);
  return h("div", { class: "card trip", "data-key": "trip" },
    h("h2", null, T.trip.title, trip ? h("span", { class: "quiet" }, trip.manual ? T.trip.manual : T.trip.automatic,
      since === null ? "" : `, ${T.trip.since(units.hour(since))}`)
      : h("span", { class: "quiet" }, T.trip.none)),
    h("div", { class: "row" },
      h("button", { class: "mode", disabled: !mayWrite(), onclick: () => chooseMode(trip) }, icon(mode),
        T.modes[mode] ?? mode),
      mayWrite() ? h("button", { class: trip ? "stop" : "primary", "data-act": "trip", onclick: trip ? stop : start },
        trip ? T.trip.stop : T.trip.start) : null),
    trip ? h("div", { class: "pairs" }, pair(T.trip.duration, units.stopwatch(grown(trip.duration_s, "trip"))),
      pair(T.trip.distance, units.length(trip.distance_m))) : null);
}

const pair = (label, value, kind) =>
  h("div", { class: `pair ${kind ?? ""}` }, h("span", { class: "label" }, label), h("span", { class: "value" }, value));

/** A time ago, with the time that passed since the status. */
const ago = (seconds, part) => {
  const value = grown(seconds, part);
  return value === null ? T.destinations.never : T.destinations.ago(units.duration(value));
};

export function answerText(item) {
  const detail = item.last_answer_detail;
  if (!detail) return item.last_answer ?? T.destinations.never;
  const time = typeof detail.duration_s === "number" ? ` · ${units.fixed(detail.duration_s, 1)} s` : "";
  return `${detail.status ?? ""} ${detail.text ?? item.last_answer ?? ""}`.trim() + time;
}

function next(item, part) {
  const seconds = left(item.next_in_s ?? item.next_send_in_s, part);
  const isOnRecord = seconds === null;
  const why = isOnRecord && item.waiting_for === "records" ? null : T.destinations.waiting[item.waiting_for];
  const text = isOnRecord ? T.destinations.onRecord : seconds < 1 ? T.destinations.now
    : T.destinations.inTime(units.duration(seconds));
  return why ? `${text} · ${why}` : text;
}

function destination(item) {
  const part = `destination ${item.name}`;
  const send = (event) => act(event, () => post("send", undefined, { destination: item.name }), asked);
  return h("div", { class: `destination${item.trouble ? " failing" : ""}`, "data-key": item.name },
    h("div", { class: "row" }, h("h3", { class: "grow" }, item.name, item.server ? h("span", { class: "quiet" },
      item.server) : null),
      mayWrite() ? h("button", { "data-act": "send", onclick: send,
        "aria-label": `${T.destinations.send}: ${item.name}` },
        T.destinations.send) : null),
    item.trouble ? h("p", { class: "mark fault" }, icon("fault"),
      h("span", null, `${T.destinations.failing}: ${item.trouble}`)) : null,
    h("div", { class: "pairs" },
      pair(T.destinations.queued, item.queued === undefined ? units.DASH : units.count(item.queued)),
      pair(T.destinations.lastSent, ago(item.last_sent_age_s ?? item.last_success_age_s, part)),
      pair(T.destinations.next, next(item, part)),
      pair(T.destinations.answer, answerText(item), "wide")),
    item.set_aside > 0 ? h("p", { class: "mark warning" }, T.destinations.setAside(units.count(item.set_aside)))
      : null);
}

const asked = (answer) =>
  T.destinations.asked(units.count(answer?.destinations ?? 1)) + (answer?.position_awaited
    ? ` ${T.destinations.awaited}` : "");

/** Every destination with its queue, its answers and its next send; the send interval. */
export function destinationsCard(status) {
  const list = status.destinations ?? [];
  if (list.length === 0) {
    return h("div", { class: "card", "data-key": "destinations" }, h("h2", null, T.destinations.title),
      h("p", null, T.destinations.none),
      mayWrite() ? h("a", { class: "button", href: "#/more/destinations" }, T.destinations.add) : null);
  }
  return h("div", { class: "card", "data-key": "destinations" },
    h("h2", null, T.destinations.title, h("a", { class: "more", href: "#/more/sends" }, T.destinations.sendsLink)),
    list.map(destination),
    list.length > 1 && mayWrite() ? h("button", { onclick: (event) => act(event, () => post("send"), asked) },
      T.destinations.sendAll) : null,
    mayWrite() ? intervalRow() : null);
}

async function changeInterval(value, event) {
  const answer = await act(event, () => patchSettings({ send_interval: value }));
  if (answer) interval = value;
}

function intervalRow() {
  const known = interval === null || INTERVALS.includes(interval) ? INTERVALS : [interval, ...INTERVALS];
  const choose = (event) => {
    const { value } = event.target;
    if (value !== "other") return changeInterval(value);
    const field = h("input", { "aria-label": T.destinations.free, placeholder: "90s", autocomplete: "off" });
    ask(T.destinations.interval, [T.destinations.free, field],
      [[true, T.destinations.set, "primary"]]).then((choice) => {
      if (choice && field.value.trim()) changeInterval(field.value.trim());
    });
  };
  return h("label", { class: "row interval" }, h("span", { class: "grow" }, T.destinations.interval),
    h("select", { onchange: choose, value: interval ?? "", "aria-label": T.destinations.interval },
      interval === null ? h("option", { value: "" }, units.DASH) : null,
      known.map((value) => h("option", { value }, value)), h("option", { value: "other" }, T.destinations.free)));
}
export { pair };
