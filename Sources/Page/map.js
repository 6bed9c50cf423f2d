// The Map screen: the track of a period, its gaps, visits, trips and zones, with a linked chart.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { live, deviceTime, mayLocate, mayWrite } from "./live.js";
import * as units from "./units.js";
import { recall, remember } from "./store.js";
import { get } from "./api.js";
import { loadTrack, paths, pointAt, lengthOf } from "./track.js";
import { chart, KEYS } from "./chart.js";
import { openPlainMap } from "./plain-map.js";
import { position } from "./hero.js";
import { detail, tripList, pointTable, exportLinks, measuredText, tilesOf, legend, nearestDay } from "./map-parts.js";
import { zonesOf, newZone, previewOf, zoneCard } from "./map-zones.js";
import { field, select } from "./parts.js";
import { isCollector, isFleet } from "./collector.js";
import { loadDevices, preferred, keyOf } from "./devices.js";

const COLOURS = ["speed", "motion", "kept", "accuracy", "altitude", "battery", "time"];
const HOUR = 3600000, DEFAULT_LEAST = 10;
const HOURS = { "1h": 1, "6h": 6, "24h": 24, "7d": 168 };

export function open(root, _, parameters) {
  const box = h("div", { class: "map-box", "data-own": "", "data-key": "box", role: "region",
    "aria-label": T.map.region });
  const state = {
    lookback: recall("lookback") ?? "24h", key: COLOURS.includes(recall("colour")) ? recall("colour") : "speed",
      chartKey: "speed",
    least: Number(recall("least")) || DEFAULT_LEAST, follow: false, track: null, list: [], loading: null,
      problem: null, chosen: null,
    view: null, measured: null, days: null, from: null, to: null, zones: [], hours: 24, tileNote: null, table: false,
    zone: null, devices: null, device: null, leastUnit: recall("leastUnit") === "metres" ? "metres" : "points",
  };
  let map = null;
  let abort = null;
  let lastFix = null, isClosed = false;
  let fleet = null;

  async function begin() {
    if (!mayLocate()) return;
    if (isFleet()) fleet = await import("./fleet-parts.js"), update();
    const [settings, options] = isCollector() ? [null, null]
      : await Promise.all([mayWrite() ? get("settings").catch(() => null) : null, get("map").catch(() => null)]);
    state.zones = zonesOf(settings);
    state.least = Number(recall("least")) || options?.min_path_length || DEFAULT_LEAST;
    state.hours = (options?.lookback_s ?? 86400) / 3600;
    state.lookback = recall("lookback") ?? Object.keys(HOURS).find((key) => HOURS[key] === state.hours) ?? "set";
    const { openMap } = await import("./leaflet-map.js");
    if (isClosed) return;
    const layer = tilesOf(options, (text) => ((state.tileNote = text), update()));
    map = await openMap(box, choose, layer).catch(() => openPlainMap(box, choose));
    if (isCollector()) await listDevices();
    else state.days = (await get("days").catch(() => null))?.days ?? [];
    if (parameters.has("from") || parameters.has("at")) navigate([], parameters);
    else load();
  }

  async function listDevices() {
    const name = parameters.get("device");
    state.devices = await loadDevices(name).catch((problem) => ((state.problem = problem.detail), []));
    chooseDevice(preferred(state.devices));
    const day = isFleet() && state.from === null ? state.days.at(-1) : null;
    if (day) Object.assign(state, { lookback: "custom", from: day.from, to: day.to });
  }

  async function reload() {
    if (isCollector()) await listDevices();
    load();
  }

  function chooseDevice(item) {
    state.device = item;
    state.days = item?.days ?? [];
    if (item && !isFleet()) remember("device", keyOf(item));
  }

  function navigate(_parts, changed) {
    const [from, to, at] = ["from", "to", "at"].map((name) => Number(changed.get(name)) || null);
    if (!from && !at) return;
    if (from) Object.assign(state, { lookback: "custom", from, to: to ?? from + 24 * HOUR });
    const isInside = at && state.track && state.from <= at && at <= state.to && !from;
    if (isInside) return choosePoint(pointAt(state.track.points, at), true);
    if (at && !from) Object.assign(state, { lookback: "custom", from: at - 6 * HOUR, to: at + 6 * HOUR });
    load(at);
  }

  /** The period of the lookback; days come from the log, so that they are local days of the device. */
  function period() {
    const now = deviceTime() ?? Date.now();
    const hours = state.lookback === "set" ? state.hours : HOURS[state.lookback];
    if (hours) return [Math.round(now - hours * HOUR), Math.round(now)];
    const day = state.lookback === "yesterday" ? state.days?.findLast?.((item) => item.to <= now) : state.days?.at(-1);
    if (["today", "yesterday"].includes(state.lookback)) return day ? [day.from, day.to]
      : [Math.round(now - 24 * HOUR), Math.round(now)];
    return [state.from ?? Math.round(now - 24 * HOUR), state.to ?? Math.round(now)];
  }

  async function load(at, before) {
    if (isClosed) return;
    if (isCollector() && !state.device) return update();
    abort?.abort();
    abort = new AbortController();
    if (!before) [state.from, state.to] = period();
    Object.assign(state, { loading: before?.points.length ?? 0, problem: null, chosen: null, view: null,
      measured: null });
    update();
    try {
      state.track = await loadTrack(state.from, state.to, (number) => ((state.loading = number), update()),
        abort.signal, before, state.device?.device ?? undefined);
    } catch (problem) {
      if (problem.name === "AbortError") return;
      state.problem = problem.detail ?? String(problem);
    }
    state.loading = null;
    redraw(!before);
    if (at && state.track?.points.length) choosePoint(pointAt(state.track.points, at), true);
    update();
  }

  function redraw(isFitted) {
    if (!state.track || !map || isClosed) return;
    state.list = paths(state.track, state.least, state.leastUnit);
    map.draw(state.track, state.list, state.key, state.zones);
    const spot = here();
    if (isFitted && state.list.length) map.fit(state.list);
    else if (isFitted && spot) map.zoomTo([spot.latitude, spot.longitude], 15);
    mark();
  }

  const here = () => (mayLocate() && live.status ? position(live.status) : null);
  const mark = () => map?.mark(here(), state.chosen?.spot ?? null, state.measured,
    state.zone && { shape: previewOf(state.zone) });

  function choose(item) {
    if (state.zone) return place(item.spot ?? (item.point ? [item.point.latitude, item.point.longitude] : null));
    if (item.spot && state.measured) state.measured = [...state.measured, item.spot];
    else if (item.point) return choosePoint(item.point);
    else state.chosen = { ...item, spot: (item.gap ?? item.visit ?? item.event)?.spot };
    mark();
    update();
  }

  function choosePoint(point, isCentred) {
    if (!point) return;
    state.chosen = { point, spot: [point.latitude, point.longitude] };
    if (isCentred) map?.zoomTo(state.chosen.spot);
    mark();
    update();
  }

  function brush(from, to) {
    state.view = from === null ? null : [from, to];
    const part = state.list.map((path) => path.filter((point) => !state.view
      || (point.t >= from && point.t <= to))).filter((path) => path.length);
    map?.fit(part, 0.15);
    update();
  }

  const set = (name, value, action) => {
    state[name] = value;
    remember(name === "key" ? "colour" : name, String(value));
    action();
    update();
  };

  function place(spot) {
    if (spot) state.zone.spot = spot;
    mark();
    update();
  }

  /** The form that makes a zone of a place. */
  function zoneForm() {
    const end = () => ((state.zone = null), mark(), update());
    const done = async () => {
      state.zones = zonesOf(await get("settings").catch(() => null));
      redraw(false);
      end();
    };
    return zoneCard(state.zone, state.zones, here(), { done, close: end, place, update: () => (mark(), update()) });
  }

  function controls() {
    const own = Object.values(HOURS).includes(state.hours) ? []
      : [["set", units.duration(state.hours * 3600)]];
    const lookbacks = [...own, ...Object.entries(T.map.lookbacks)];
    return h("div", { class: "row controls", "data-key": "controls" },
      state.devices?.length && !isFleet() ? select(T.collector.device, keyOf(state.device), state.devices.map((item) =>
        [keyOf(item), item.device || T.collector.unnamed]), (key) => {
        chooseDevice(state.devices.find((item) => keyOf(item) === key));
        load();
      }) : null,
      select(T.map.lookback, state.lookback, lookbacks, (value) => set("lookback", value, () => load())),
      select(T.map.colour, state.key, COLOURS.filter((key) => key !== "kept" || !isCollector() || isFleet())
        .map((key) => [key, T.map.keys[key]]), (value) => set("key", value, () => redraw(false))),
      state.lookback === "custom" ? h("div", { class: "row days", "data-key": "days" },
        select(T.map.from, dayOf(state.from), dayOptions(), (value) => customDay("from", value)),
        select(T.map.to, dayOf(state.to - 1), dayOptions(), (value) => customDay("to", value))) : null);
  }

  const dayOptions = () => [["", T.map.otherTime],
    ...(state.days ?? []).map((item) => [item.day, units.dayName(item.day)])];
  const dayOf = (time) => state.days?.find((item) => item.from <= time && time < item.to)?.day ?? "";
  function customDay(name, value) {
    const day = state.days.find((item) => item.day === value);
    if (!day) return;
    state[name] = day[name];
    if (state.to <= state.from) Object.assign(state, { from: day.from, to: day.to });
    load();
  }

  /** One line about what is shown or why nothing is. */
  function note() {
    const { track, problem } = state;
    if (state.loading !== null) return h("p", { class: "note", role: "status" },
      T.map.loading(units.count(state.loading)));
    if (problem) return h("p", { class: "note fault", role: "alert" }, T.failed(problem), " ",
      h("button", { onclick: reload }, T.retry));
    if (state.devices?.length === 0) return h("p", { class: "note" }, T.collector.none);
    if (!track) return h("p", { class: "note" }, T.loading);
    const undated = track.undated > 0 ? ` ${T.map.undated(units.count(track.undated))}` : "";
    if (track.points.length === 0) {
      if (!state.days?.length) return h("p", { class: "note" }, T.map.emptyLog + undated);
      const near = nearestDay(state);
      return h("p", { class: "note" }, T.map.nothing + undated, " ",
        near ? h("button", { onclick: () => customDay("from", near.day)
          || (Object.assign(state, { lookback: "custom", from: near.from, to: near.to }), load()) },
          T.map.goTo(units.dayName(near.day))) : null);
    }
    return h("p", { class: "note" }, T.map.summary(units.count(track.points.length),
      units.length(lengthOf(state.list)), track.gaps.length) + undated,
      track.next !== null ? [" ", h("button", { onclick: () => load(null, track) }, T.map.more)] : null);
  }

  function options() {
    return h("details", { class: "card", "data-key": "options" }, h("summary", null, T.map.options),
      field(T.map.least,
        h("input", { type: "number", min: "1", max: "100000", inputmode: "numeric", value: String(state.least),
          onchange: (event) => set("least", Math.max(1, Number(event.target.value) || 1), () => redraw(false)) })),
      select(T.map.leastIn, state.leastUnit, Object.entries(T.map.leastUnits), (value) => set("leastUnit", value,
        () => redraw(false))),
      check(T.map.table, state.table, () => (state.table = !state.table)),
      isCollector() ? null : exportLinks(state));
  }
  const check = (text, value, action) => h("label", { class: "row" },
    h("input", { type: "checkbox", checked: value, onchange: () => (action(), update()) }), text);

  const tools = () => h("div", { class: "row tools", "data-key": "tools" },
    isCollector() ? h("button", { onclick: reload }, T.collector.reload)
      : h("button", { "aria-pressed": String(state.follow),
        onclick: () => ((state.follow = !state.follow), update()) }, T.map.follow),
    h("button", { "aria-pressed": String(state.measured !== null), onclick: () => {
      state.measured = state.measured ? null : [];
      mark();
      update();
    } }, T.map.measure),
    h("button", { onclick: () => map?.fit(state.list) }, T.map.fit),
    mayWrite() && !isCollector() ? h("button", { "aria-pressed": String(state.zone !== null), onclick: () => {
      state.zone = state.zone ? null : newZone();
      mark();
      update();
    } }, T.zones.button) : null);

  function update() {
    if (state.follow && live.fix !== lastFix && live.fix) follow();
    if (live.fix !== lastFix) (lastFix = live.fix), mark();
    if (!mayLocate()) return show(root, h("p", { class: "card" }, T.map.guest));
    show(root,
      h("div", { class: "map-main", "data-key": "main" }, fleet?.backLink(), controls(), box, legend(state), tools(),
        state.measured ? h("p", { class: "note", "data-key": "measured" }, measuredText(state.measured)) : null,
        state.zone ? zoneForm() : null,
        state.tileNote ? h("p", { class: "note", "data-key": "tiles" }, state.tileNote) : null,
        note(), state.chosen ? detail(state, () => ((state.chosen = null), mark(), update())) : null),
      h("div", { class: "column", "data-key": "side" },
        fleet?.deviceCard(state.device),
        state.list.length ? h("div", { class: "card", "data-key": "chart" },
          select(T.map.chart, state.chartKey, KEYS.map((key) => [key, T.map.keys[key]]),
            (value) => ((state.chartKey = value), update())),
          chart(state.list, state.chartKey, state.view, state.chosen?.point?.t ?? null,
            { point: (point) => choosePoint(point), brush })) : null,
        state.track ? tripList(state.track, (trip) => brush(trip.from, trip.to)) : null,
        state.table && state.track ? pointTable(state) : null,
        options()));
  }

  function follow() {
    const spot = live.status && position(live.status);
    if (spot) map?.pan([spot.latitude, spot.longitude]);
  }

  update();
  begin();
  return {
    update, navigate,
    close() {
      isClosed = true;
      abort?.abort();
      map?.close();
    },
  };
}
