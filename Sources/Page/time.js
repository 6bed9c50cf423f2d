// The Time screen: days of the log, the timeline of a day, gaps with their reasons, and what happened.
import { h, s, show } from "./dom.js";
import { T } from "./texts.js";
import { icon } from "./icons.js";
import { live, deviceTime, mayLocate, mayWrite } from "./live.js";
import * as units from "./units.js";
import { get } from "./api.js";
import { failure, loading, table } from "./parts.js";
import { spans, patterns, scale, ticks, stateName, WIDTH, HEIGHT } from "./strip.js";

const HOUR = 3600000;
const GROUPS = ["gaps", "trips", "visits", "sends", "events"];
const ROWS = ["trips", "motion", "receiver", "gaps", "host", "network", "power", "clock"];

export function open(root, _, parameters) {
  const state = { days: null, day: null, rows: [], gaps: [], visits: [], trips: [], events: [], sends: [],
    problem: null, isLoading: true, at: null, shown: new Set(GROUPS.filter((name) => name !== "sends")), chosen: null };
  let abort = null;

  async function begin() {
    try {
      state.days = (await get("days")).days;
    } catch (problem) {
      Object.assign(state, { problem: problem.detail ?? String(problem), isLoading: false });
      return update();
    }
    const wanted = Number(parameters.get("at")) || null;
    navigate([], parameters);
    if (!wanted) load(state.days.at(-1) ?? null);
  }

  function navigate(_parts, changed) {
    const at = Number(changed.get("at")) || null;
    if (!at || !state.days) return;
    state.at = at;
    load(state.days.find((day) => day.from <= at && at < day.to) ?? { day: null, from: at - 12 * HOUR,
      to: at + 12 * HOUR });
  }

  async function load(day) {
    abort?.abort();
    abort = new AbortController();
    Object.assign(state, { day, isLoading: day !== null, problem: null, rows: [], gaps: [], visits: [], trips: [],
      events: [], sends: [], chosen: null });
    update();
    if (!day) return;
    const period = { from: day.from, to: day.to };
    const from = day.first_id ? Math.max(0, day.first_id - 1) : undefined;
    try {
      const [timeline, why, visits, trips, events, sends] = await Promise.all([
        get("timeline", period, abort.signal), get("why", period, abort.signal),
        hidden().includes("visits") ? { visits: [] }
          : get("visits", period, abort.signal).catch(() => ({ visits: [] })),
        get("trips/past", period, abort.signal).catch(() => ({ trips: [] })),
        get("events", { after: from ?? 0 }, abort.signal).catch(() => ({ events: [] })),
        hidden().includes("sends") ? { sends: [] }
          : get("sends", undefined, abort.signal).catch(() => ({ sends: [] })),
      ]);
      Object.assign(state, { rows: timeline.rows, gaps: gapsOf(why), visits: visits.visits, trips: trips.trips });
      state.sends = sends.sends.filter((send) => inside(units.instant(send.time), day));
      state.events = events.events.filter((event) => inside(units.instant(event.time), day));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      state.problem = problem.detail ?? String(problem);
    }
    state.isLoading = false;
    update();
  }

  function update() {
    const { day } = state;
    const isUndated = state.days?.length === 0 && !state.problem;
    show(root,
      h("div", { class: "row head", "data-key": "head" },
        h("h2", { class: "grow" }, day?.day ? units.dayName(day.day) : T.timeline.title, day && isToday(day)
          ? h("span", { class: "quiet" }, ` ${T.timeline.today}`) : null),
        h("button", { class: "plain", title: T.timeline.zone, onclick: () => (units.toggleUTC(), update()) },
          units.zoneName())),
      state.days?.length ? dayStrip(state, load) : null,
      isUndated ? h("div", { class: "card", "data-key": "empty" }, h("p", null, T.timeline.noDays),
        h("ul", { class: "list" }, live.events.slice(-50).reverse().map((event) => h("li", { class: "padded" },
          h("strong", null, event.kind.replaceAll("_", " ")), h("p", null, event.detail ?? ""))))) : null,
      failure(state.problem, begin), state.isLoading ? loading() : null,
      day && !state.isLoading ? timeline(state, (span, name) => ((state.chosen = { span, name }), update())) : null,
      state.chosen ? chosen(state, () => ((state.chosen = null), update())) : null,
      day && !state.isLoading ? feed(state, update) : null);
  }

  update();
  begin();
  let drawnAt = 0;
  return {
    navigate,
    update() {
      // Only the end of today moves; once a minute is enough.
      if (performance.now() - drawnAt < 60000) return;
      drawnAt = performance.now();
      update();
    },
    close: () => abort?.abort(),
  };
}

/** The groups that the role may not read. */
const hidden = () => [mayLocate() ? null : "visits", mayWrite() ? null : "sends"].filter(Boolean);

const inside = (time, day) => time !== null && time >= day.from && time < day.to;
const isToday = (day) => {
  const now = deviceTime();
  return now !== null && inside(now, day);
};

const gapsOf = ({ gaps }) => gaps.map((gap) =>
  ({ ...gap, from: units.instant(gap.from), to: units.instant(gap.to) }));

/** Days with a bar for the distance. */
function dayStrip(state, choose) {
  const most = Math.max(1, ...state.days.map((day) => day.distance_m ?? 0));
  const list = h("div", { class: "days-strip", "data-key": "days", role: "group", "aria-label": T.timeline.days },
    state.days.map((day) => {
      const height = Math.max(1, (40 * (day.distance_m ?? 0)) / most);
      return h("button", { "aria-pressed": String(day.day === state.day?.day), "data-key": day.day,
        onclick: () => choose(day),
        "aria-label": `${units.dayName(day.day)}, ${units.length(day.distance_m)}` },
      s("svg", { viewBox: "0 0 20 44", "aria-hidden": "true" },
        s("rect", { x: 3, width: 14, y: (44 - height).toFixed(1), height: height.toFixed(1) })),
      h("span", null, String(Number(day.day.slice(8)))));
    }));
  if (!state.scrolled) {
    state.scrolled = true;
    requestAnimationFrame(() => document.querySelector(".days-strip")?.scrollTo({ left: 1e6 }));
  }
  return list;
}

/** Rows of states on one scale; the next position check as a mark in the future. */
function timeline(state, choose) {
  const { day } = state;
  const rows = ROWS.map((name) => state.rows.find((row) => row.name === name)).filter(Boolean);
  if (rows.length === 0) return h("p", { class: "card", "data-key": "timeline" }, T.timeline.none);
  const now = deviceTime();
  const end = now !== null && inside(now, day) ? now : day.to;
  const place = (time) => (time - day.from) / (day.to - day.from);
  const hours = ticks(day.from, day.to, 6 * HOUR, day.from);
  const next = isToday(day) ? live.status?.tracker?.next_check_in_s : undefined;
  const length = (day.to - day.from) / HOUR;
  return h("div", { class: "card timeline", "data-key": "timeline" },
    Math.abs(length - 24) > 0.01 ? h("p", { class: "mark warning" }, T.timeline.hours(units.fixed(length))) : null,
    rows.map((row) => h("div", { class: "lane", "data-key": row.name },
      h("span", { class: "label" }, T.timeline.rows[row.name] ?? row.name),
      h("div", { class: "track" },
        s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
          "aria-label": sentence(row) },
          patterns(), s("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT, class: "base" }),
          spans({ ...row, spans: row.spans.map(([a, b, ...rest]) => [a, b ?? end, ...rest]) }, day.from, day.to,
            WIDTH, (span) => choose(span, row.name))),
        end < day.to ? h("i", { class: "now", style: { left: `${place(end) * 100}%` } }) : null,
        row.name === "receiver" && next !== undefined && end + next * 1000 < day.to
          ? h("i", { class: "check", title: T.now.nextCheck, style: { left: `${place(end + next * 1000) * 100}%` } })
            : null))),
    h("div", { class: "lane" }, h("span", { class: "label" }, ""), scale(hours, place)),
    h("details", null, h("summary", null, T.asTable), spanTable(rows)));
}

const sentence = (row) => row.spans.length === 0 ? T.none
  : T.timeline.sentence(T.timeline.rows[row.name] ?? row.name,
    row.spans.map(([start, , state]) => `${stateName(state)} ${units.hour(start)}`).slice(-12).join(", "));

const spanTable = (rows) => table(T.timeline.title, T.timeline.columns, rows.flatMap((row) =>
  row.spans.slice(-40).map(([start, end, state, reason]) => h("tr", null,
    h("td", null, T.timeline.rows[row.name] ?? row.name), h("td", null, units.span(start, end)),
    h("td", null, stateName(state)), h("td", null, reason ?? "")))));

function chosen({ chosen: { span: [start, end, state, reason], name } }, close) {
  return h("div", { class: "card detail", "data-key": "chosen", role: "status" },
    h("h3", null, `${T.timeline.rows[name] ?? name}: ${stateName(state)}`),
    h("p", null, `${units.second(start)} – ${units.second(end)} (${units.duration((end - start) / 1000)})`),
    reason ? h("p", null, reason) : null,
    h("div", { class: "actions" }, toMap(start), h("button", { onclick: close }, T.close)));
}

const toMap = (time) => (mayLocate() ? h("a", { class: "button", href: `#/map?at=${Math.round(time)}` },
  T.timeline.toMap) : null);

/** Gaps, trips, visits and events of the day in order, with filters. */
function feed(state, update) {
  const items = [
    ...state.gaps.map((gap) => ({ group: "gaps", time: gap.from, icon: "fault", title: gapTitle(gap),
      text: gap.sentence })),
    ...state.trips.map((trip) => ({ group: "trips", time: trip.from, icon: trip.mode,
      title: `${T.modes[trip.mode] ?? trip.mode}, ${units.length(trip.distance_m)}`,
      text: [units.span(trip.from, trip.to, trip.open ? T.map.open : ""), units.lasted(trip),
        trip.reason && T.tripsPage.ended(trip.reason)].filter(Boolean).join(", ") })),
    ...state.visits.map((visit) => ({ group: "visits", time: visit.from, icon: "tracking",
      title: `${T.map.visit}, ${units.lasted(visit)}`,
      text: units.span(visit.from, visit.to, visit.open ? T.map.open : "") })),
    ...state.sends.map((send) => ({ group: "sends", time: units.instant(send.time), icon: "send",
      title: `${send.destination}: ${send.status ?? T.sends.noAnswer} ${send.consequence ?? ""}`,
      text: `${T.log.records(units.count(send.records))}, ${units.bytes(send.bytes)}` })),
    ...state.events.map((event) => ({ group: "events", time: units.instant(event.time), icon: "note",
      title: event.kind.replaceAll("_", " "), text: event.detail })),
  ].filter((item) => state.shown.has(item.group)).sort((a, b) => b.time - a.time);
  const counts = { gaps: state.gaps.length, trips: state.trips.length, visits: state.visits.length,
    sends: state.sends.length, events: state.events.length };
  return h("div", { class: "card feed", "data-key": "feed" },
    h("div", { class: "actions filters", role: "group", "aria-label": T.timeline.filter },
      GROUPS.filter((group) => !hidden().includes(group)).map((group) => h("button", {
        "aria-pressed": String(state.shown.has(group)), onclick: () => {
          state.shown.has(group) ? state.shown.delete(group) : state.shown.add(group);
          update();
        } }, `${T.timeline.groups[group]} ${counts[group]}`))),
    hidden().length ? h("p", { class: "quiet" },
      T.timeline.guest(hidden().map((group) => T.timeline.groups[group]).join(", "))) : null,
    items.length === 0 ? h("p", { class: "quiet" }, T.timeline.nothing) : null,
    h("ul", { class: "list" }, items.slice(0, 300).map((item) => h("li", { class: item.group },
      h("a", { class: "feed-row", href: mayLocate() ? `#/map?at=${Math.round(item.time)}` : "#/time" },
        icon(item.icon), h("span", { class: "when" }, units.hour(item.time)),
        h("span", { class: "what" }, h("strong", null, item.title), item.text ? h("span", null, item.text) : null))))));
}

const gapTitle = (gap) => T.map.gapTitle(units.lasted(gap))
  + (typeof gap.metres === "number" ? `, ${units.length(gap.metres)}` : "");
