// Parts of the pages of a fleet: a device in the list, its state, and what is known about it.
import { h, s } from "./dom.js";
import { T } from "./texts.js";
import { FLEET } from "./texts-fleet.js";
import * as units from "./units.js";
import { card } from "./parts.js";
import { isFleet } from "./collector.js";

/** The states in the order of the list. */
export const STATES = ["silent", "due", "ok", "never", "disabled"];

/** The address of a device's day. */
export const linkOf = (device) => `#/map?device=${encodeURIComponent(device)}`;

/** The symbol of a state as on the map: it differs in size and filling, not only in colour. */
export const stateMark = (name) => s("svg", { viewBox: "0 0 14 14", class: `state-mark ${name}`,
  "aria-hidden": "true" },
  name === "silent" ? s("circle", { cx: 7, cy: 7, r: 7 })
    : name === "due" ? s("circle", { cx: 7, cy: 7, r: 5, class: "hollow" })
      : name === "ok" ? s("circle", { cx: 7, cy: 7, r: 4 })
        : s("path", { d: name === "never" ? "M2 7h10" : "M3 3l8 8M11 3l-8 8", class: "hollow" }));

const since = (now, text) => {
  const time = units.instant(text);
  return time === null ? null : units.duration(Math.max(0, (now - time) / 1000));
};

/** The time to or since the next contact. */
function contact(item, now) {
  const next = units.instant(item.next_contact);
  if (next === null) return null;
  return next >= now ? FLEET.nextIn(units.duration((next - now) / 1000))
    : FLEET.overdue(units.duration((now - next) / 1000));
}

/** A device in the list; a tap opens its day. */
export function deviceRow(item, now) {
  const seen = since(now, item.last_seen);
  const facts = [
    item.reason ? FLEET.reasons[item.reason] ?? item.reason : null,
    seen ? FLEET.seen(seen) : null, item.state === "disabled" ? null : contact(item, now),
    item.battery_percent === undefined ? null : `${T.battery} ${item.battery_percent} %`,
    item.queued_records ? FLEET.queued(units.count(item.queued_records)) : null, item.version,
    item.latitude === undefined ? FLEET.noPosition : null,
  ];
  return h("li", { "data-key": `device-${item.device}` }, h("a", { class: "line-button device",
    href: linkOf(item.device) },
    h("strong", null, item.device),
    h("span", { class: `end state-text ${item.state}` }, stateMark(item.state),
      FLEET.states[item.state] ?? item.state),
    h("span", { class: "facts" }, facts.filter(Boolean).join(" · "))));
}

/** The columns of `positions` as points. */
export function positionsOf({ states, device, lat, lon, state, total }) {
  return { total, devices: device.map((name, index) => ({ device: name, latitude: lat[index] / 1e7,
    longitude: lon[index] / 1e7, state: states[state[index]] })) };
}

const moment = (text) => (units.instant(text) === null ? null : units.moment(units.instant(text)));

/** Loads the styles of a fleet, once. */
export function loadStyles() {
  if (document.querySelector("link[data-fleet]")) return;
  const link = document.createElement("link");
  Object.assign(link, { rel: "stylesheet", href: "page/fleet.css" });
  link.dataset.fleet = "";
  document.head.append(link);
}

/** From the day of a device to the fleet. */
export const backLink = () => (isFleet() ? h("a", { class: "button back", href: "#/fleet" }, FLEET.back) : null);

/** What is known about a device; nothing outside a fleet. */
export function deviceCard(item) {
  if (!isFleet() || !item) return null;
  loadStyles();
  const { report = {} } = item;
  const rows = [
    [FLEET.state, h("span", { class: "state-text" }, stateMark(item.state), FLEET.states[item.state])],
    [FLEET.reason, item.reason ? FLEET.reasons[item.reason] ?? item.reason : null],
    [FLEET.lastContact, moment(item.last_seen)], [FLEET.nextContact, moment(item.next_contact)],
    [FLEET.lastPosition, moment(item.last_time)], [T.battery, percent(item.battery_percent)],
    [FLEET.daysLeft, item.days_left === undefined ? null : units.count(item.days_left)],
    [FLEET.queue, item.queued_records === undefined ? null : units.count(item.queued_records)],
    [FLEET.cohort, item.cohort], [FLEET.version, item.version],
    [FLEET.settings, item.is_as_desired ? FLEET.asDesired : FLEET.notAsDesired],
    [FLEET.board, text(report.board)], [FLEET.machine, text(report.machine)],
    [FLEET.receiver, text(report.receiver)], [FLEET.report, moment(item.report_time)],
  ];
  const events = item.events ?? [];
  return [card("device", item.device, h("dl", { class: "facts-list" }, rows.filter(([, value]) => value)
    .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))))),
  events.length ? h("details", { class: "card", "data-key": "events" }, h("summary", null, FLEET.events),
    h("ul", { class: "list" }, events.map((event) => h("li", { class: "line-button" },
      h("span", null, moment(event.time)), h("strong", null, event.kind.replaceAll("_", " ")),
      h("span", null, event.text))))) : null];
}

const percent = (value) => (value === undefined ? null : `${value} %`);
const text = (value) => (typeof value === "string" || typeof value === "number" ? String(value) : null);
