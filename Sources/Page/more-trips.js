// Trips and visits of the last days.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { live, deviceTime, mayLocate, mayWrite } from "./live.js";
import * as units from "./units.js";
import { get } from "./api.js";
import { tripCard } from "./now-actions.js";
import { card, downloads, failure, select } from "./parts.js";

const PERIODS = [7, 30, 90];

export function open(root) {
  const state = { days: PERIODS[0], trips: null, visits: null, problem: null };
  async function load() {
    const now = deviceTime() ?? Date.now();
    const period = { from: Math.round(now - state.days * 86400000), to: Math.round(now) };
    try {
      const [trips, visits] = await Promise.all([get("trips/past", period),
        mayLocate() ? get("visits", period) : { visits: [] }]);
      Object.assign(state, { trips: trips.trips, visits: visits.visits, problem: null });
    } catch (problem) {
      state.problem = problem.detail;
    }
    update();
  }
  let isAsked = false;
  function update() {
    if (!isAsked && live.status) {
      isAsked = true;
      load();
    }
    show(root,
      live.status && mayWrite() ? tripCard(live.status) : null,
      h("div", { class: "card", "data-key": "period" }, select(T.map.lookback, String(state.days),
        PERIODS.map((days) => [String(days), T.tripsPage.days(days)]), (days) => ((state.days = days), load()))),
      failure(state.problem, load),
      listCard("trips", T.tripsPage.trips, state.trips, tripRow),
      mayLocate() ? listCard("visits", T.tripsPage.visits, state.visits, visitRow)
        : card("visits", T.tripsPage.visits, h("p", null, T.map.guest)));
  }
  update();
  return { update };
}

const listCard = (key, title, items, row) => card(key, title,
  items === null ? h("p", null, T.loading) : items.length === 0 ? h("p", { class: "quiet" }, T.tripsPage.none)
    : h("ul", { class: "list" }, [...items].reverse().map(row)));

function tripRow(trip) {
  const reason = trip.reason ? `; ${T.tripsPage.ended(trip.reason)}` : "";
  const time = units.span(trip.from, trip.to, trip.open ? T.map.open : "");
  return h("li", { class: "padded" },
    h("p", null, h("strong", null, `${T.modes[trip.mode] ?? trip.mode}, ${units.length(trip.distance_m)}`),
      ` · ${units.lasted(trip)}`),
    h("p", { class: "quiet" }, `${units.weekday(trip.from)}, ${time}${reason}`),
    mayLocate() ? downloads({ from: trip.from, to: trip.to },
      h("a", { class: "button", href: `#/map?from=${trip.from}&to=${trip.to}` }, T.screens.map)) : null);
}

const visitRow = (visit) => h("li", { class: "padded" },
  h("p", null, h("strong", null, units.lasted(visit)),
    ` · ${units.coordinates(visit.lat / 1e7, visit.lon / 1e7)}`),
  h("p", { class: "quiet" },
    `${units.weekday(visit.from)}, ${units.span(visit.from, visit.to, visit.open ? T.map.open : "")}`),
  h("div", { class: "actions" }, h("a", { class: "button", href: `#/map?at=${visit.from}` }, T.screens.map)));
