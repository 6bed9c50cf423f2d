// One line chart over time, linked with the map: a cursor, and a brush that chooses a part.
import { h, s } from "./dom.js";
import { T } from "./texts.js";
import * as units from "./units.js";
import { valueOf, unitOf, pointAt } from "./track.js";
import { scale, ticks } from "./strip.js";

const WIDTH = 600;
const HEIGHT = 120;
export const KEYS = ["speed", "altitude", "accuracy", "battery"];

const niceStep = (span) => [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * 60000)
  .find((step) => span / step <= 6) ?? 86400000;

/** Least and most value per column, so that no peak is lost. */
function columns(paths, key, from, to) {
  const found = [];
  for (const path of paths) {
    const cells = new Map();
    for (const point of path) {
      const value = valueOf(key, point);
      if (value === null || point.t < from || point.t > to) continue;
      const x = Math.round(((point.t - from) / Math.max(1, to - from)) * WIDTH);
      const cell = cells.get(x) ?? { least: value, most: value };
      cells.set(x, { least: Math.min(cell.least, value), most: Math.max(cell.most, value) });
    }
    found.push([...cells].sort((a, b) => a[0] - b[0]));
  }
  return found;
}

/**
 * The chart of the paths by a key. `view` is [from, to] or null for all; `cursor` is a time; `actions` has point(point)
 * and brush(from, to).
 */
export function chart(paths, key, view, cursor, actions) {
  const points = paths.flat();
  if (points.length < 2) return null;
  const [from, to] = view ?? [points[0].t, points.at(-1).t];
  const cells = columns(paths, key, from, to);
  const values = cells.flat().flatMap(([, cell]) => [cell.least, cell.most]);
  if (values.length === 0) return h("p", { class: "quiet" }, T.map.noValues);
  const most = Math.max(...values);
  const least = key === "altitude" ? Math.min(...values) : Math.min(0, ...values);
  const y = (value) => HEIGHT - 6 - ((value - least) / (most - least || 1)) * (HEIGHT - 22);
  const place = (time) => (time - from) / Math.max(1, to - from);
  const sentence = T.map.chartSentence(T.map.keys[key], units.fixed(least), units.fixed(most), unitOf(key),
    units.hour(from), units.hour(to));
  const chosen = cursor === null ? null : pointAt(points, cursor);

  const timeAt = (event) => {
    const area = event.currentTarget.getBoundingClientRect();
    return from + Math.max(0, Math.min(1, (event.clientX - area.left) / area.width)) * (to - from);
  };
  let begun = null;
  const down = (event) => {
    begun = timeAt(event);
    event.currentTarget.setPointerCapture?.(event.pointerId);
  };
  const move = (event) => {
    if (begun === null) return;
    const brush = event.currentTarget.querySelector(".brush");
    const [a, b] = [begun, timeAt(event)].sort((x, z) => x - z);
    brush.style.left = `${place(a) * 100}%`;
    brush.style.width = `${(place(b) - place(a)) * 100}%`;
  };
  const up = (event) => {
    if (begun === null) return;
    const [a, b] = [begun, timeAt(event)].sort((x, z) => x - z);
    begun = null;
    event.currentTarget.querySelector(".brush").style.width = "0";
    if ((b - a) / (to - from) > 0.02) actions.brush(a, b);
    else actions.point(pointAt(points, b));
  };
  const press = (event) => {
    const move_ = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
    if (event.key === "Escape" && view) actions.brush(null);
    if (!move_) return;
    event.preventDefault();
    const index = points.indexOf(chosen ?? points[0]);
    actions.point(points[Math.max(0, Math.min(points.length - 1, index + move_))]);
  };

  return h("div", { class: "chart" },
    h("p", { class: "chart-head" },
      `${T.map.keys[key]}: ${units.fixed(least)}–${units.fixed(most, most < 10 ? 1 : 0)} ${unitOf(key)}`,
      view ? h("button", { class: "plain", onclick: () => actions.brush(null) }, T.map.wholePeriod) : null),
    h("div", { class: "chart-area", role: "slider", tabindex: "0", "aria-label": sentence, "aria-valuemin": from,
      "aria-valuemax": to,
      "aria-valuenow": chosen?.t ?? from, "aria-valuetext": chosen
        ? `${units.second(chosen.t)}, ${units.fixed(valueOf(key, chosen), 1)} ${unitOf(key)}` : units.hour(from),
      onpointerdown: down, onpointermove: move, onpointerup: up, onkeydown: press },
    s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      cells.filter((list) => list.length).map((list) => {
        const upper = list.map(([x, cell]) => `${x},${y(cell.most).toFixed(1)}`);
        const lower = list.map(([x, cell]) => `${x},${y(cell.least).toFixed(1)}`).reverse();
        const [first, last] = [list[0][0], list.at(-1)[0]];
        return [s("polygon", { class: "area", points: `${first},${HEIGHT} ${upper.join(" ")} ${last},${HEIGHT}` }),
          s("polygon", { class: "line", points: [...upper, ...lower].join(" ") })];
      })),
    h("i", { class: "brush" }),
    chosen && chosen.t >= from && chosen.t <= to
      ? h("i", { class: "cursor", style: { left: `${place(chosen.t) * 100}%` } }) : null),
    scale(ticks(from, to, niceStep(to - from)), place));
}
