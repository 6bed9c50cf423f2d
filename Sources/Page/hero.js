// The head of the Now screen: the receiver's state with its reason, and the main figures.
import { h, s } from "./dom.js";
import { T } from "./texts.js";
import { icon } from "./icons.js";
import { live, elapsed, grown, left, mayLocate, isCurrent } from "./live.js";
import * as units from "./units.js";
import { copy } from "./dialog.js";

/** The age in seconds from which a report of the satellites is old. */
const OLD_REPORT = 15;

/** The state to draw: a receiver state, or first, none (no receiver), private, receiver_off (tracking is on). */
export function stateOf(status) {
  if (!status) return "first";
  if (status.tracking === false) return "off";
  if (status.position?.private) return "private";
  const { receiver, tracker } = status;
  const isClosed = receiver && !receiver.is_open;
  const isMissing = isClosed && (receiver.trouble || receiver.state === "finding" || !tracker?.state);
  if (isMissing && !["asleep", "no_supply"].includes(tracker?.state)) return "none";
  return tracker?.state === "off" ? "receiver_off" : tracker?.state ?? "acquiring";
}

/** The newest position: the live fix, or the last recorded one. */
export function position(status) {
  const recorded = status.position;
  const fix = live.fix;
  if (recorded?.private) return null;
  if (fix && fix.mode >= 2 && typeof fix.lat === "number") {
    return {
      latitude: fix.lat, longitude: fix.lon, altitude: fix.altMSL, speed: fix.speed, course: fix.track,
        accuracy: fix.eph,
      age: elapsed("fix"), fix: fix.mode === 3 ? "3D" : "2D", kept: fix.kept, rejected: fix.rejected,
    };
  }
  if (typeof recorded?.latitude !== "number") return null;
  return {
    latitude: recorded.latitude, longitude: recorded.longitude, altitude: recorded.altitude_m,
      speed: recorded.speed_mps,
    course: recorded.course_deg, accuracy: recorded.horizontal_accuracy_m, age: grown(recorded.age_s, "position"),
    fix: recorded.fix,
  };
}

const figure = (value, unit, label, kind) =>
  h("div", { class: `figure ${kind ?? ""}` }, h("span", { class: "value" }, value, unit ? h("small", null, unit)
    : null),
    h("span", { class: "label" }, label));

const age = (seconds) => {
  const text = units.duration(seconds);
  const [value, ...unit] = text.split(" ");
  return figure(value, unit.join(" "), T.now.age, "age");
};

/** The two main figures of a state. */
function figures(kind, status, place) {
  const { tracker = {}, motion } = status;
  if (kind === "acquiring") {
    const since = grown(tracker.since_s, "tracker") ?? grown(status.reception?.no_fix_s);
    return [figure(units.countdown(since ?? undefined), "", T.now.searching, "main"), place ? age(place.age) : null];
  }
  if (["asleep", "receiver_off", "no_supply"].includes(kind)) {
    const next = left(tracker.next_check_in_s, "tracker");
    return [next === null ? null : figure(units.countdown(next), "", T.now.nextCheck, "main"), place ? age(place.age)
      : null];
  }
  if (["tracking", "settling", "cyclic"].includes(kind)) {
    const isStill = motion?.moving === false && !(place?.speed > 0.3);
    const { figure: value, unit } = units.speed(isStill ? 0 : place?.speed);
    return [figure(isStill ? "0" : value, unit, T.now.speed, "main"), place ? age(place.age) : null];
  }
  return [place ? age(place.age) : null];
}

/** The sentence below the state: the evidence of the device, or what the page knows. */
function reason(kind, status) {
  const { tracker = {}, receiver } = status;
  if (kind === "off") return T.now.off;
  if (kind === "private") return T.now.private;
  if (kind === "none") {
    return receiver?.trouble ?? (receiver?.is_open ? T.now.searchingPort(receiver.port)
      : T.now.portClosed(receiver?.port ?? T.unknown));
  }
  return tracker.reason ?? "";
}

function details(kind, status) {
  const { tracker = {}, reception = {}, sky = {} } = status;
  const rows = [];
  if (kind === "acquiring") {
    // A report from before the search says nothing about it.
    const isOld = reception.satellites_age_s > OLD_REPORT;
    const received = isOld ? undefined : sky.seen ?? reception.satellites_received;
    const level = tracker.signal_dBHz ?? (isOld ? undefined : sky.strongest_dBHz ?? reception.strongest_dBHz);
    if (received > 0) rows.push(T.now.received(units.count(received)));
    else if (level === undefined) rows.push(T.now.nothingReceived);
    if (level !== undefined) rows.push(T.now.strongest(units.fixed(level)));
    const end = left(tracker.acquisition_ends_in_s, "tracker");
    if (end !== null) rows.push(T.now.timesOut(units.duration(end)));
  }
  if (["asleep", "receiver_off", "no_supply"].includes(kind)) {
    if (tracker.next_check_in_s === undefined) rows.push(T.now.onMotion);
    else if (!["position check", undefined].includes(tracker.next_check_reason)) {
      rows.push(T.now.checkBecause(tracker.next_check_reason));
    }
  }
  const first = live.events.findLast?.((event) => event.kind === "first_fix");
  if (kind === "settling" && first) rows.push(T.now.firstFix(units.duration(first.fields?.duration_s ?? first.value)));
  return rows;
}

/** Motion state with confidence and since when. */
export function motionText(motion) {
  const state = motion?.state;
  if (!state) return T.now.motionUnknown;
  const value = motion.confidence_value;
  const sure = typeof value === "number" ? T.now.sure(Math.round(value * 100)) : "";
  const since = grown(motion.since_s, "motion");
  const isOnFoot = state === "walking" || state === "running";
  const steps = isOnFoot && motion.steps > 0 ? `, ${T.now.steps(units.count(motion.steps))}` : "";
  return (T.motion[state] ?? state) + sure + steps + (since === null ? "" : `, ${T.now.since(units.duration(since))}`);
}

function compass(course) {
  if (typeof course !== "number") return null;
  return h("span", { class: "compass" },
    s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("circle", { cx: 12, cy: 12, r: 10.5 }),
      s("path", { d: "M12 3.5 16 17l-4-2.6L8 17z", transform: `rotate(${Math.round(course)} 12 12)` })),
    `${units.wind(course)} ${Math.round(course)}°`);
}

function place(kind, status, spot) {
  if (kind === "private" || !mayLocate()) return null;
  if (!spot) return h("p", { class: "quiet" }, T.now.noPosition);
  const { reception = {}, sky = {} } = status;
  const isOn = ["tracking", "settling", "cyclic"].includes(kind);
  const used = sky.used ?? reception.satellites_used;
  const facts = [spot.fix];
  if (isOn && used !== undefined) facts.push(T.now.satellites(units.count(used), sky.seen >= used ? sky.seen : null));
  if (spot.accuracy !== undefined) facts.push(T.now.accuracy(units.length(spot.accuracy)));
  if (spot.altitude !== undefined) facts.push(T.now.altitude(units.length(Math.round(spot.altitude))));
  const text = units.coordinates(spot.latitude, spot.longitude);
  const exact = units.coordinates(spot.latitude, spot.longitude, 7);
  return h("div", { class: "place" },
    h("p", { class: "facts" }, isOn ? null : h("span", { class: "quiet" }, T.now.lastPosition),
      facts.filter(Boolean).map((fact) => h("span", null, fact)), isOn ? compass(spot.course) : null),
    h("p", { class: "spot" },
      h("a", { class: "coordinates", href: `geo:${spot.latitude.toFixed(6)},${spot.longitude.toFixed(6)}`,
        title: T.now.openMap },
        text),
      h("button", { class: "plain", onclick: () => copy(exact) }, T.copy)),
    spot.rejected ? h("p", { class: "mark warning" }, T.now.rejected(spot.rejected)) : null);
}

/** The speed of the last two minutes as a line below the figures. */
function trace(samples) {
  const end = samples.at(-1)?.[0] ?? 0;
  const most = Math.max(3, ...samples.map((sample) => sample[1]));
  const points = samples.map(([time, value]) =>
    `${(300 - (end - time) * 2.5).toFixed(1)},${(29 - 26 * (value / most)).toFixed(1)}`);
  return s("svg", { class: "trace", viewBox: "0 0 300 30", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("line", { x1: 0, x2: 300, y1: 29.5, y2: 29.5 }),
    points.length < 4 ? null : [s("polygon", { points: `${points[0].split(",")[0]},30 ${points.join(" ")} 300,30` }),
      s("polyline", { points: points.join(" ") })]);
}

/** The whole head. */
export function hero(status, samples) {
  const kind = stateOf(status);
  if (kind === "first") {
    return h("div", { class: "hero first", "data-key": "hero" }, h("p", { class: "state" }, icon("first"),
      h("strong", null, T.state.first.name)),
      h("p", null, T.state.first.text));
  }
  const spot = mayLocate() ? position(status) : null;
  const since = grown(status.tracker?.since_s, "tracker");
  const isOn = ["tracking", "settling", "cyclic"].includes(kind);
  return h("div", { class: `hero ${kind}${isCurrent() ? "" : " stale"}`, "data-key": "hero" },
    h("p", { class: "state" }, icon(kind), h("strong", null, T.state[kind]?.name ?? kind),
      since === null || kind === "acquiring" ? null : h("span", { class: "since" },
        T.now.since(units.duration(since)))),
    h("p", { class: "reason" }, reason(kind, status)),
    h("div", { class: "figures" }, figures(kind, status, kind === "private" ? null : spot)),
    isOn ? trace(samples) : null,
    details(kind, status).map((row) => h("p", { class: "detail" }, row)),
    isOn ? h("p", { class: "motion" }, motionText(status.motion)) : null,
    place(kind, status, spot));
}
