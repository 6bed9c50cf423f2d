// The fleet: last positions on a map, and the devices by state. Only `outrider-collector` serves it.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { FLEET } from "./texts-fleet.js";
import * as units from "./units.js";
import { get, post } from "./api.js";
import { recall, remember } from "./store.js";
import { card, field, select, failure, loading } from "./parts.js";
import { STATES, loadStyles, deviceRow, stateMark, positionsOf, linkOf } from "./fleet-parts.js";
import { openMap } from "./leaflet-map.js";
import { openPlainMap } from "./plain-map.js";

const PAGE = 50;
const REFRESH_EVERY = 60000;
const TYPING = 300;

export function open(root) {
  root.classList.add("map");
  loadStyles();
  const box = h("div", { class: "map-box", "data-own": "", "data-key": "box", role: "region",
    "aria-label": T.map.region });
  const state = { state: recall("fleetState") ?? "", cohort: recall("fleetCohort") ?? "", q: "", offset: 0,
    list: null, positions: null, chosen: null, problem: null, isBusy: false };
  let map = null;
  let abort = null;
  let typed = null;
  let isClosed = false;
  let isFitted = false;

  const filters = () => ({ state: state.state || null, cohort: state.cohort || null, q: state.q || null });

  async function begin() {
    map = await openMap(box, choose).catch(() => openPlainMap(box, choose));
    if (isClosed) return map.close();
    load();
  }

  /** Loads list and positions; a later call replaces this one. */
  async function load(keepsMap) {
    if (isClosed) return;
    abort?.abort();
    abort = new AbortController();
    const { signal } = abort;
    state.isBusy = true;
    update();
    try {
      const [list, positions] = await Promise.all([
        get("api/v1/fleet/devices", { ...filters(), limit: PAGE, offset: state.offset }, signal),
        keepsMap ? state.positions : get("api/v1/fleet/positions", filters(), signal).then(positionsOf)]);
      units.setZone(list.zone);
      Object.assign(state, { list, positions, problem: null });
    } catch (problem) {
      if (problem.name === "AbortError") return;
      state.problem = problem.detail ?? String(problem);
    }
    state.isBusy = false;
    if (!keepsMap) draw();
    update();
  }

  function draw() {
    if (isClosed || !map || !state.positions) return;
    map.drawDevices(state.positions.devices);
    mark();
    if (!isFitted && state.positions.devices.length) map.fit([state.positions.devices]);
    isFitted = isFitted || state.positions.devices.length > 0;
  }

  const mark = () => map?.mark(null, state.chosen ? [state.chosen.latitude, state.chosen.longitude] : null, null, null);

  function choose({ point }) {
    if (!point) return;
    state.chosen = point;
    mark();
    update();
  }

  /** A filter changed: the list begins anew, and the map shows what is left. */
  function filter(name, value) {
    state[name] = value;
    if (name !== "q") remember(`fleet${name[0].toUpperCase()}${name.slice(1)}`, value);
    Object.assign(state, { offset: 0, chosen: null });
    isFitted = false;
    load();
  }

  function search(event) {
    clearTimeout(typed);
    const { value } = event.target;
    typed = setTimeout(() => (value.trim() === state.q ? null : filter("q", value.trim())), TYPING);
  }

  const chips = () => h("div", { class: "row chips", role: "group", "aria-label": FLEET.byState,
    "data-key": "chips" },
    ["", ...STATES].map((name) => {
      const counts = state.list?.states ?? {};
      const number = name ? counts[name] ?? 0 : Object.values(counts).reduce((sum, value) => sum + value, 0);
      return h("button", { "aria-pressed": String(state.state === name), "data-key": `state-${name}`,
        onclick: () => filter("state", name) }, name ? stateMark(name) : null,
        `${name ? FLEET.states[name] : T.all} ${units.count(number)}`);
    }));

  function controls() {
    const cohorts = state.list?.cohorts ?? [];
    return h("div", { class: "row controls", "data-key": "controls" },
      field(FLEET.search, h("input", { type: "search", autocomplete: "off", spellcheck: "false", value: state.q,
        oninput: search })),
      cohorts.length > 1 || state.cohort ? select(FLEET.cohort, state.cohort, [["", T.all],
        ...cohorts.map((name) => [name, name])], (value) => filter("cohort", value)) : null);
  }

  function paging() {
    const { total } = state.list;
    if (total <= PAGE) return null;
    const move = (step) => ((state.offset = Math.max(0, state.offset + step)), load(true));
    return h("div", { class: "row paging", "data-key": "paging" },
      h("button", { disabled: state.offset === 0, onclick: () => move(-PAGE) }, FLEET.previous),
      h("span", null, FLEET.range(units.count(state.offset + 1),
        units.count(Math.min(total, state.offset + PAGE)), units.count(total))),
      h("button", { disabled: state.offset + PAGE >= total, onclick: () => move(PAGE) }, FLEET.next));
  }

  function list() {
    if (!state.list) return state.problem ? null : loading();
    const { devices, total, time } = state.list;
    if (total === 0) {
      const isFiltered = state.state || state.cohort || state.q;
      return card("list", FLEET.devices, h("p", null, isFiltered ? FLEET.noMatch : FLEET.empty));
    }
    return card("list", FLEET.devices,
      h("ul", { class: "list fleet-list" }, devices.map((item) => deviceRow(item, units.instant(time)))), paging());
  }

  /** How many devices the map shows, and how many have no position. */
  function mapNote() {
    const { positions } = state;
    if (!positions) return null;
    const shown = positions.devices.length;
    return h("p", { class: "note", "data-key": "map-note" }, FLEET.mapped(units.count(shown)),
      positions.total > shown ? ` ${FLEET.notMapped(units.count(positions.total - shown))}` : "");
  }

  const chosen = () => (state.chosen ? h("div", { class: "card detail", "data-key": "detail", role: "status" },
    h("h3", null, state.chosen.device), h("p", null, stateMark(state.chosen.state), " ",
      FLEET.states[state.chosen.state]),
    h("div", { class: "actions" },
      h("a", { class: "button", href: linkOf(state.chosen.device) }, FLEET.open),
      h("button", { onclick: () => ((state.chosen = null), mark(), update()) }, T.close))) : null);

  function update() {
    show(root,
      h("div", { class: "map-main", "data-key": "main" }, controls(), chips(), box, mapNote(),
        h("div", { class: "row tools", "data-key": "tools" },
          h("button", { onclick: () => load(), disabled: state.isBusy }, T.collector.reload),
          h("button", { onclick: () => map?.fit([state.positions?.devices ?? []]) }, T.map.fit),
          h("button", { onclick: signOut }, FLEET.signOut)), chosen()),
      h("div", { class: "column", "data-key": "side" }, failure(state.problem, () => load()), list()));
  }

  async function signOut() {
    await post("logout").catch(() => null);
    location.reload();
  }

  const timer = setInterval(() => (document.hidden || state.isBusy ? null : load()), REFRESH_EVERY);
  update();
  begin();
  return {
    update() {},
    close() {
      isClosed = true;
      clearInterval(timer);
      clearTimeout(typed);
      abort?.abort();
      map?.close();
    },
  };
}
