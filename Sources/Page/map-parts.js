// Parts of the Map screen: details of what was tapped, trips, table, export.
import { h } from "./dom.js";
import { T } from "./texts.js";
import * as units from "./units.js";
import { copy } from "./dialog.js";
import { distance, colours } from "./track.js";
import { get } from "./api.js";
import { isCollector, isFleet } from "./collector.js";
import { card, downloads, table } from "./parts.js";

const ROWS = 200;

const rows = (list) => h("dl", { class: "facts-list" }, list.filter(([, value]) => value !== null
  && value !== undefined)
  .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));

const spotText = (spot) => (spot ? h("span", null, units.coordinates(...spot), " ",
  h("button", { class: "plain", onclick: () => copy(units.coordinates(...spot, 7)) }, T.copy)) : null);

export const speedOf = (point) => (point.spd === null ? units.DASH : units.speedText(point.spd / 100));
const tenths = (value) => (value === null ? units.DASH : units.length(value / 10));

/** What was tapped, with all its values. */
export function detail({ track, chosen }, close) {
  const { point, gap, visit, event } = chosen;
  const body = point ? [h("h3", null, units.moment(point.t)), rows([
    [T.now.location, spotText(chosen.spot)], [T.now.speed, speedOf(point)],
    [T.now.heading, point.crs === null ? units.DASH : `${units.wind(point.crs / 10)} ${Math.round(point.crs / 10)}°`],
    [T.map.keys.altitude, tenths(point.alt)], [T.map.keys.accuracy, tenths(point.acc)],
    [T.map.keys.motion, T.motion[track.motions[point.mot]] ?? track.motions[point.mot] ?? units.DASH],
    [T.now.fix, track.fixes[point.fix] ?? units.DASH],
    [T.map.keys.kept, T.map.reasons[track.reasons[point.kept]] ?? track.reasons[point.kept] ?? units.DASH],
    [T.battery, point.bat === null ? units.DASH : `${point.bat} %`], [T.map.record, units.count(point.id)]])]
    : gap ? [h("h3", null, T.map.gapTitle(units.lasted(gap))), h("p", null, gap.sentence),
      isCollector() && !isFleet() ? h("p", { class: "quiet" }, T.collector.noReason) : null,
      rows([
      [T.time, `${units.second(gap.from)} – ${units.second(gap.to)}`],
      [T.map.between, typeof gap.metres === "number" ? units.length(gap.metres) : null],
      [T.map.before, spotText(gap.ends[0])], [T.map.after, spotText(gap.ends[1])],
      [T.map.eventsOf, isCollector() ? null
        : h("a", { class: "button", href: `#/time?at=${gap.from}` }, T.screens.time)]])]
      : visit ? [h("h3", null, T.map.visit),
        rows([[T.time, `${units.moment(visit.from)} – ${visit.open ? T.map.open : units.hour(visit.to)}`],
        [T.map.dwell, visit.open ? T.map.open : units.lasted(visit)],
          [T.now.location, spotText(visit.spot)]])]
        : event ? [h("h3", null, event.text ?? event.kind),
          rows([[T.time, units.moment(event.t)], [T.now.location, spotText(event.spot)]])]
          : [];
  return h("div", { class: "card detail", "data-key": "detail", role: "status" }, body,
    h("div", { class: "actions" }, h("button", { onclick: close }, T.close)));
}

/** The trips of the period; a tap shows one. */
export function tripList(track, choose) {
  if (track.trips.length === 0) return null;
  return card("trips", T.map.trips,
    h("ul", { class: "list" }, track.trips.map((trip) => h("li", null,
      h("button", { class: "line-button", onclick: () => choose(trip) },
        h("strong", null, T.modes[trip.mode] ?? trip.mode),
        h("span", null, `${units.weekday(trip.from)}, ${units.span(trip.from, trip.to, trip.open ? T.map.open : "")}`),
        h("span", { class: "end" },
          `${units.length(trip.distance_m)} · ${units.lasted(trip)}`))))));
}

/** The points as a table; of a long track every n-th, with the number stated. */
export function pointTable({ track, list }) {
  const points = list.flat();
  const step = Math.max(1, Math.ceil(points.length / ROWS));
  const some = points.filter((_, index) => index % step === 0);
  return card("table", T.map.table,
    step > 1 ? h("p", { class: "quiet" }, T.map.everyNth(step)) : null,
    table(T.map.table, T.map.columns, some.map((point) => h("tr", null,
      h("td", null, units.second(point.t)), h("td", null, units.coordinates(point.latitude, point.longitude)),
      h("td", null, speedOf(point)), h("td", null, tenths(point.alt)), h("td", null, tenths(point.acc)),
      h("td", null, T.map.reasons[track.reasons[point.kept]] ?? track.reasons[point.kept] ?? "")))));
}

/** Downloads of the shown period. */
export function exportLinks({ from, to }) {
  if (from === null) return null;
  return h("div", { class: "field" }, h("span", { class: "label" }, T.map.export),
    downloads({ from: Math.round(from), to: Math.round(to), with: "visits,events" }));
}

/** What was measured on the map. */
export function measuredText(spots) {
  const total = spots.slice(1).reduce((sum, spot, index) => sum + distance(spots[index], spot), 0);
  return spots.length === 0 ? T.map.measureHow : T.map.measured(units.length(total));
}

/** The background. One line says who sees the requests, or why there is none; `note` gets it. */
export function tilesOf(options, note) {
  if (options?.problem) note(T.map.tilesProblem(options.problem));
  if (!options?.tiles) return null;
  const host = /^https?:\/\/([^/]+)/.exec(options.tiles)?.[1];
  if (host) note(T.map.tilesFrom(host));
  // A tile that a file does not have is no fault of the file.
  const explain = async () => {
    const problem = host ? null : (await get("map").catch(() => null))?.problem;
    if (host) note(T.map.tilesFail(host));
    else if (problem) note(T.map.tilesProblem(problem));
  };
  return { url: options.tiles, attribution: options.attribution, minZoom: options.min_zoom,
    maxZoom: options.max_zoom, bounds: options.bounds, failed: explain };
}

/** The colours of the track with their figures. */
export function legend({ track, key }) {
  if (!(track?.points.length > 1)) return null;
  const entries = colours(track, key).legend;
  return h("ul", { class: "legend", "data-key": "legend", "aria-label": T.map.legend(T.map.keys[key]) },
    entries.map(([step, text]) => h("li", null, h("i", { class: `swatch ramp${step}` }), text)),
    track.gaps.length ? h("li", null, h("i", { class: "swatch dashed" }), T.map.gap) : null);
}

/** The day with records that is nearest to a period without any. */
export function nearestDay({ days, from, to }) {
  const middle = (from + to) / 2;
  return days.filter((item) => item.records > 0 && (item.to <= from || item.from >= to))
    .sort((a, b) => Math.abs(a.from - middle) - Math.abs(b.from - middle))[0];
}
