// The Sky screen: where the satellites are, and how strong. They are polled only while it is open.
import { h, s, show } from "./dom.js";
import { T } from "./texts.js";
import { live, want, elapsed, mayWrite, recentEvents } from "./live.js";
import * as units from "./units.js";
import { post } from "./api.js";
import { act } from "./dialog.js";
import { card, loading, pair, pairs, table } from "./parts.js";
import { stateOf } from "./hero.js";

/** Letter and shape of each system, by gpsd's gnssid. */
const SYSTEMS = { 0: ["G", 0], 1: ["S", 4], 2: ["E", 4.5], 3: ["C", 5], 5: ["J", 6], 6: ["R", 3], 7: ["I", 6] };
const RADIUS = 130;
const CENTRE = 160;
const LEVELS = [30, 35, 40];

const letter = (item) => `${SYSTEMS[item.gnssid]?.[0] ?? "?"}${item.svid ?? item.PRN}`;
const level = (item) => (item.ss > 0 ? `level${LEVELS.filter((limit) => item.ss >= limit).length}` : "level-none");

export function open(root) {
  let starts = null;
  want({ sky: true });

  async function loadStarts() {
    starts = [];
    starts = (await recentEvents()).filter((event) => event.kind === "first_fix").slice(-5).reverse();
  }

  function update() {
    if (live.status && starts === null) loadStarts();
    const note = obstacle();
    const { sky } = live;
    const isShown = sky?.satellites?.length > 0 && mayWrite() && !live.status?.position?.private;
    show(root,
      h("div", { class: "column", "data-key": "left" },
        note,
        isShown ? card("plot", [T.satellites.plot, h("span", { class: "quiet" },
          T.satellites.usedOf(sky.uSat ?? sky.satellites.filter((item) => item.used).length, sky.satellites.length))],
        plot(sky.satellites), h("p", { class: "quiet" },
          `${T.satellites.legend} ${T.satellites.age(units.duration(elapsed("sky")))}`)) : null),
      h("div", { class: "column", "data-key": "right" },
        isShown ? [barsCard(sky.satellites), dopCard(sky), systemsCard(sky.satellites)] : null,
        startsCard(starts ?? []), isShown ? tableCard(sky.satellites) : null));
  }
  update();
  return { update, close: () => want({ sky: false }) };
}

/** Why there are no satellites, or what the screen changes. */
function obstacle() {
  const { status, sky } = live;
  if (!status) return loading();
  if (!mayWrite()) return h("p", { class: "card", "data-key": "note" }, T.satellites.guest);
  const kind = stateOf(status);
  const received = sky?.satellites?.filter((item) => item.ss > 0).length ?? 0;
  const wake = () => h("button", { onclick: (event) => act(event, () => post("satellites"), (answer) => answer?.hint
    ?? T.satellites.asked) }, T.satellites.wake);
  let text = null;
  if (kind === "private") text = T.satellites.private;
  else if (kind === "off") text = T.satellites.off;
  else if (kind === "asleep") text = T.satellites.asleep;
  else if (kind === "none" || kind === "no_supply") text = status.receiver?.trouble ?? T.state[kind].name;
  else if (kind === "acquiring" && received === 0) text = T.satellites.nothing;
  else if (!sky) text = elapsed("status") > 15 && live.link === "live" ? T.satellites.noData : T.satellites.waiting;
  else if (sky.satellites?.length === 0) text = T.satellites.noData;
  const more = [status.receiver?.gpsd ? T.satellites.gpsd(status.receiver.port) : null,
    kind === "cyclic" || status.tracker?.policy === "cyclic" ? T.satellites.cyclic : null].filter(Boolean);
  if (!text && more.length === 0) return null;
  return h("div", { class: "card", "data-key": "note", role: "status" }, text ? h("p", null, text) : null,
    more.map((line) => h("p", null, line)),
    kind === "asleep" && mayWrite() ? h("div", { class: "actions" }, wake()) : null);
}

/** A regular polygon; 4.5 stands for a diamond, 0 for a circle. */
function shape(corners, x, y, radius, kind, children) {
  if (corners === 0) return s("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: radius, class: kind }, children);
  const count = Math.floor(corners);
  const turn = corners === 4 ? Math.PI / 4 : 0;
  const points = Array.from({ length: count }, (_, index) => {
    const angle = turn - Math.PI / 2 + (index * 2 * Math.PI) / count;
    return `${(x + radius * 1.2 * Math.cos(angle)).toFixed(1)},${(y + radius * 1.2 * Math.sin(angle)).toFixed(1)}`;
  });
  return s("polygon", { points: points.join(" "), class: kind }, children);
}

function named(item) {
  const strength = item.ss > 0 ? `${units.fixed(item.ss)} dB-Hz` : units.DASH;
  const system = T.satellites.names[item.gnssid] ?? T.satellites.other;
  const use = item.used ? T.satellites.used : T.satellites.unused;
  return `${system} ${letter(item)}: ${units.fixed(item.el)}° ${units.wind(item.az)}, ${strength}, ${use}`;
}

/** North up, east right, the zenith in the centre; rings at 30 and 60 degrees. */
function plot(satellites) {
  const best = Math.max(0, ...satellites.map((item) => item.ss ?? 0));
  const used = satellites.filter((item) => item.used).length;
  const spots = satellites.filter((item) => typeof item.az === "number" && typeof item.el === "number" && item.el >= 0);
  return s("svg", { viewBox: "0 0 320 320", class: "sky-plot", role: "img", "aria-label": T.satellites.sentence(used,
    satellites.length, units.fixed(best)) },
    s("circle", { cx: CENTRE, cy: CENTRE, r: RADIUS, class: "ring horizon" }),
    [30, 60].map((elevation) => [s("circle", { cx: CENTRE, cy: CENTRE, r: RADIUS * (1 - elevation / 90),
      class: "ring" }),
      s("text", { x: CENTRE + 10, y: CENTRE - RADIUS * (1 - elevation / 90) - 3, class: "name" }, `${elevation}°`)]),
    s("path", { class: "ring",
      d: `M${CENTRE - RADIUS} ${CENTRE}h${2 * RADIUS}M${CENTRE} ${CENTRE - RADIUS}v${2 * RADIUS}` }),
    ["N", "E", "S", "W"].map((name, index) => s("text", { x: CENTRE + (RADIUS + 16) * Math.sin((index * Math.PI) / 2),
      y: CENTRE + 4 - (RADIUS + 16) * Math.cos((index * Math.PI) / 2) }, name)),
    spots.map((item) => {
      const angle = (item.az * Math.PI) / 180;
      const far = RADIUS * (1 - item.el / 90);
      const [x, y] = [CENTRE + far * Math.sin(angle), CENTRE - far * Math.cos(angle)];
      const size = item.ss > 0 ? 4 + Math.min(4, Math.max(0, (item.ss - 20) / 7)) : 3.5;
      return [shape(SYSTEMS[item.gnssid]?.[1] ?? 0, x, y, size,
        `satellite ${level(item)}${item.used ? " used" : ""}`, s("title", null, named(item))),
        s("text", { x: x.toFixed(1), y: (y + size + 11).toFixed(1), class: "name" }, letter(item))];
    }));
}

function systems(satellites) {
  const groups = new Map();
  for (const item of satellites) groups.set(item.gnssid, [...(groups.get(item.gnssid) ?? []), item]);
  return [...groups].sort((a, b) => a[0] - b[0]);
}

function barsCard(satellites) {
  const received = satellites.filter((item) => item.ss > 0);
  if (received.length === 0) return null;
  return card("bars", T.satellites.bars,
    h("div", { class: "bars" }, systems(received).map(([system, list]) => h("div",
      { class: "system", "data-key": `s${system}` },
      h("span", { class: "label" }, T.satellites.names[system] ?? T.satellites.other),
      h("div", { class: "group" }, list.sort((a, b) => b.ss - a.ss).map((item) => h("span",
        { class: "bar-cell", title: named(item) },
        units.fixed(item.ss),
        s("svg", { viewBox: "0 0 20 96", "aria-hidden": "true" },
          s("rect", { x: 2, width: 16, rx: 2, y: (95 - Math.min(93, item.ss * 1.7)).toFixed(1),
          height: Math.min(93, item.ss * 1.7).toFixed(1),
            class: `satellite ${level(item)}${item.used ? " used" : ""}` })),
        letter(item))))))));
}

function dopCard(sky) {
  return card("dop", T.satellites.dop, pairs(["hdop", "vdop", "pdop"].map((name) =>
    pair(name.toUpperCase(), units.fixed(sky[name], 1), "strong"))));
}

const systemsCard = (satellites) => card("systems", T.satellites.systems,
  pairs(systems(satellites).map(([system, list]) => pair(T.satellites.names[system]
    ?? T.satellites.other,
    T.satellites.usedOf(list.filter((item) => item.used).length, list.length)))));

const startsCard = (starts) => card("starts", T.satellites.starts,
  starts.length === 0 ? h("p", { class: "quiet" }, T.satellites.noStarts) : h("ul", { class: "list" },
    starts.map((event) => h("li", null,
    h("p", null, h("strong", null, units.duration(event.fields?.duration_s ?? event.value)),
      ` · ${units.moment(units.instant(event.time))}`)))));

const tableCard = (satellites) => h("details", { class: "card", "data-key": "table" }, h("summary", null, T.asTable),
  table(T.satellites.table, T.satellites.columns, satellites.map((item) => h("tr", null, h("td", null, letter(item)),
    h("td", null, String(item.PRN)),
    h("td", null, `${units.fixed(item.el)}°`), h("td", null, `${units.fixed(item.az)}°`),
    h("td", null, item.ss > 0 ? units.fixed(item.ss) : units.DASH),
    h("td", null, item.used ? T.satellites.yes : T.satellites.no)))));
