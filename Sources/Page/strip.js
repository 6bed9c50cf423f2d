// One row of a timeline: spans on a scale of time. Each state has a height and a pattern beside its colour.
import { h, s } from "./dom.js";
import { T } from "./texts.js";
import * as units from "./units.js";

/** Height (share of the row) and class of a state. Unknown states are drawn as plain. */
const FORMS = {
  tracking: [1, "on"], settling: [1, "search"], acquiring: [0.75, "search"], cyclic: [0.75, "part"],
    asleep: [0.3, "sleep"],
  off: [0.12, "idle"], no_supply: [0.12, "sleep"], stationary: [0.2, "idle"], walking: [0.45, "part"],
    running: [0.6, "part"],
  cycling: [0.75, "on"], driving: [1, "on"], automotive: [1, "on"], unknown: [0.12, "idle"], up: [0.9, "on"],
    down: [0.15, "idle"],
  switching: [0.5, "search"], sleeping: [0.3, "sleep"], normal: [0.25, "idle"], low: [0.6, "search"],
    critical: [1, "fault"],
  awake: [0.9, "on"], ok: [0.25, "on"], moving: [0.9, "on"], uncertain: [0.8, "search"], "clock chip": [0.4, "part"],
  receiver_resting: [0.3, "sleep"], tracking_paused: [0.3, "sleep"], host_sleeping: [0.3, "sleep"],
  none: [0.12, "idle"], receiver: [0.6, "on"], network: [0.5, "part"], failing: [1, "fault"], saved: [0.3, "search"],
};
const form = (row, state) => FORMS[state] ?? (row === "gaps" ? [1, "fault"] : [0.8, row === "trips" ? "on" : "part"]);
export const HEIGHT = 24;
export const WIDTH = 400;

/** The name of a state in words. */
export const stateName = (state) => T.stateNames[state] ?? T.modes[state] ?? String(state).replaceAll("_", " ");

/** The rectangles of a row between two times, in a box of the given width. `choose` is called with a span. */
export function spans(row, from, to, width, choose) {
  const scale = width / Math.max(1, to - from);
  return row.spans.map((span) => {
    const [start, end, state, reason] = span;
    const x = Math.max(0, (start - from) * scale);
    const right = Math.min(width, ((end ?? to) - from) * scale);
    if (right <= 0 || x >= width) return null;
    const [share, kind] = form(row.name, state);
    const text = `${stateName(state)}${reason ? `: ${reason}` : ""}, ${units.span(start, end)}`;
    return s("rect", { x: x.toFixed(1), width: Math.max(1.5, right - x).toFixed(1),
      y: (HEIGHT * (1 - share)).toFixed(1),
      height: (HEIGHT * share).toFixed(1), class: `span ${kind}`, onclick: choose ? () => choose(span) : null },
        s("title", null, text));
  });
}

/** The patterns that the classes use; once per document part. */
export const patterns = () => s("defs", null,
  s("pattern", { id: "search", width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { width: 4, height: 4, class: "search-back" }), s("rect", { width: 2, height: 4, class: "search-line" })),
  s("pattern", { id: "fault", width: 5, height: 5, patternUnits: "userSpaceOnUse" },
    s("rect", { width: 5, height: 5, class: "fault-back" }),
      s("path", { d: "M0 0 5 5M5 0 0 5", class: "fault-line" })));

/** Labels on a scale of time below or above plots; `place` gives the share of the width from 0 to 1. */
export const scale = (times, place, text = units.hour) => h("div", { class: "scale", "aria-hidden": "true" },
  times.filter((time) => place(time) >= 0 && place(time) <= 1).map((time) =>
    h("span", { class: place(time) > 0.94 ? "last" : place(time) < 0.06 ? "first" : null,
      style: { left: `${(place(time) * 100).toFixed(2)}%` } }, text(time))));

/** Times at whole steps between two times, counted from `base`. */
export function ticks(from, to, step, base = 0) {
  const times = [];
  for (let time = base + Math.ceil((from - base) / step) * step; time <= to; time += step) times.push(time);
  return times;
}

/** A row with hours and, in the future, the mark of the next position check. */
export function strip(row, from, to, tracker) {
  const next = typeof tracker.next_check_in_s === "number" ? Math.min(1800, tracker.next_check_in_s) * 1000 : 0;
  const place = (time) => (time - from) / ((to - from + next) * 1.02);
  const sentence = row.spans.slice(-6).map(([start, , state]) => `${stateName(state)} ${units.hour(start)}`).join(", ");
  return h("div", { class: "strip" },
    h("div", { class: "track" },
      s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": sentence },
        patterns(), spans(row, from, to, WIDTH * place(to))),
      h("i", { class: "now", style: { left: `${place(to) * 100}%` } }),
      next ? h("i", { class: "check", title: T.now.nextCheck, style: { left: `${place(to + next) * 100}%` } }) : null),
    scale(ticks(from, to, 1800000), place));
}
