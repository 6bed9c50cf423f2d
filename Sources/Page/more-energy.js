// Energy: charge by consumer and day, the forecast, and what is not known.
import { h, s, show } from "./dom.js";
import { T } from "./texts.js";
import { live, mayWrite } from "./live.js";
import * as units from "./units.js";
import { get } from "./api.js";
import { card, failure, pair, pairs, table } from "./parts.js";
import { act } from "./dialog.js";
import { chooseProfile } from "./profile-cards.js";

const HEIGHT = 150;
const mAh = (value) => (typeof value === "number" ? `${units.fixed(value, value < 10 ? 1 : 0)} mAh` : units.DASH);
const nameOf = (share) => T.energy.consumers[share] ?? share.replaceAll("_", " ");

export function open(root) {
  let days = null;
  let problem = null;
  async function load() {
    problem = null;
    days = (await get("energy", { by: "day" }).catch((error) => ((problem = error.detail), null)))?.days ?? null;
    update();
  }

  function update() {
    const { energy, power, battery } = live.status ?? {};
    if (!energy) return show(root, h("p", { class: "card" }, live.status ? T.energy.none : T.loading));
    show(root,
      battery?.state === "charging" ? h("p", { class: "card" }, T.energy.charging) : null,
      energy.missing?.length ? h("div", { class: "card", "data-key": "missing" }, h("p", { class: "mark warning" },
        T.energy.missing),
        h("ul", null, energy.missing.map((key) => h("li", null, h("code", null, key))))) : null,
      energy.gauge_trouble ? h("p", { class: "card", "data-key": "gauge" },
        `${T.energy.noGauge}: ${energy.gauge_trouble}`) : null,
      failure(problem, load),
      days?.some(isKnown) ? daysCard(days) : null,
      forecast(power, battery),
      sharesCard(energy));
  }
  update();
  load();
  return { update };
}

/** True if a day has any charge: without currents and gauge there is none. */
const isKnown = (day) => day.gauge_mAh > 0 || day.shares.some((share) => share.charge_mAh > 0);

/** A stacked bar a day; the gauge's figure as a line above it, the unexplained difference hatched. */
function daysCard(days) {
  const shown = days.slice(-21);
  const names = [...new Set(shown.flatMap((day) => day.shares.map((share) => share.name)))];
  const sum = (day) => day.shares.reduce((total, share) => total + (share.charge_mAh ?? 0), 0);
  const most = Math.max(1, ...shown.map((day) => Math.max(sum(day), day.gauge_mAh ?? 0)));
  const width = 600 / shown.length;
  const y = (value) => HEIGHT - (value / most) * (HEIGHT - 6);
  const bars = shown.map((day, index) => {
    const x = (index * width + width * 0.12).toFixed(1);
    const wide = (width * 0.76).toFixed(1);
    let base = 0;
    const parts = names.map((name, at) => {
      const value = day.shares.find((share) => share.name === name)?.charge_mAh ?? 0;
      base += value;
      return value > 0 ? s("rect", { x, width: wide, y: y(base).toFixed(1),
        height: ((value / most) * (HEIGHT - 6)).toFixed(1), class: `share ramp${at % 6}` },
        s("title", null, `${nameOf(name)} ${mAh(value)}`)) : null;
    });
    const gap = (day.gauge_mAh ?? 0) - base;
    return [parts, gap > 0 ? s("rect", { x, width: wide, y: y(base + gap).toFixed(1),
      height: ((gap / most) * (HEIGHT - 6)).toFixed(1), class: "hatched" }) : null,
      typeof day.gauge_mAh === "number" ? s("line", { x1: x, x2: (Number(x) + Number(wide)).toFixed(1),
        y1: y(day.gauge_mAh).toFixed(1), y2: y(day.gauge_mAh).toFixed(1), class: "gauge-line" }) : null];
  });
  const labels = shown.map((day, index) => (index % Math.ceil(shown.length / 7) === 0
    ? h("span", { class: index === 0 ? "first" : null,
    style: { left: `${((index + 0.5) / shown.length) * 100}%` } }, String(Number(day.day.slice(8)))) : null));
  return card("days", T.energy.byDay,
    s("svg", { viewBox: `0 0 600 ${HEIGHT}`, preserveAspectRatio: "none", class: "day-bars", role: "img",
      "aria-label": T.energy.sentence(shown.length, mAh(most)) },
      s("defs", null, s("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse",
        patternTransform: "rotate(45)" },
        s("rect", { width: 2, height: 6, class: "fault-back" }),
          s("rect", { width: 1.5, height: 6, class: "hatch-line" }))), bars),
    h("div", { class: "scale", "aria-hidden": "true" }, labels),
    h("ul", { class: "legend" },
      names.map((name, at) => h("li", null, h("i", { class: `swatch block ramp${at % 6}` }), nameOf(name))),
      h("li", null, h("i", { class: "swatch line" }), T.energy.gauge),
        h("li", null, h("i", { class: "swatch striped" }), T.energy.unexplained)),
    h("details", null, h("summary", null, T.asTable), table(T.energy.byDay,
      [T.energy.day, ...names.map(nameOf), T.energy.gauge, T.energy.unexplained],
      shown.map((day) => h("tr", null, h("th", { scope: "row" }, units.dayName(day.day)),
        names.map((name) => h("td", null, mAh(day.shares.find((share) => share.name === name)?.charge_mAh))),
        h("td", null, mAh(day.gauge_mAh)), h("td", null, mAh(day.unexplained_mAh)))))));
}

/** The cone of the forecast from now to empty, with the target. */
function forecast(power, battery) {
  const days = power?.days_left;
  if (!days || battery?.percent === undefined) return null;
  const span = Math.max(days.most, 1) * 1.05;
  const now = units.instant(live.status.time);
  const target = units.instant(power.last_until);
  const x = (day) => ((day / span) * 600).toFixed(1);
  const y = (percent) => (HEIGHT - 8 - (percent / 100) * (HEIGHT - 20)).toFixed(1);
  const start = `0,${y(battery.percent)}`;
  const date = (count) => (now === null ? units.duration(count * 86400) : units.date(now + count * 86400000));
  const until = target !== null && now !== null ? (target - now) / 86400000 : null;
  return card("forecast", T.energy.forecast,
    h("p", null, T.energy.empty(date(days.likeliest), date(days.fewest), date(days.most))),
    s("svg", { viewBox: `0 0 600 ${HEIGHT}`, preserveAspectRatio: "none", class: "day-bars", role: "img",
      "aria-label": T.energy.empty(date(days.likeliest), date(days.fewest), date(days.most)) },
      s("polygon", { points: `${start} ${x(days.fewest)},${y(0)} ${x(days.most)},${y(0)}`, class: "cone" }),
      s("line", { x1: 0, y1: y(battery.percent), x2: x(days.likeliest), y2: y(0), class: "likely" }),
      until !== null && until < span ? s("line", { x1: x(until), x2: x(until), y1: 0, y2: HEIGHT, class: "target" })
        : null),
    pairs(pair(T.energy.draws, typeof power.draws_mAh_day === "number"
      ? `${units.fixed(power.draws_mAh_day)} mAh` : units.DASH, "strong"),
      pair(T.energy.least, T.energy.days(units.fixed(days.most_if_sampled_least)), "strong"),
      target === null ? null : pair(T.batteryCard.target, units.date(target), "strong"), power.budget
        ? pair(T.energy.budget, power.budget, "wide") : null),
    mayWrite() ? h("div", { class: "actions" }, h("button", { onclick: (event) => act(event, chooseProfile) },
      T.usage.choose)) : null);
}

function sharesCard(energy) {
  const since = units.instant(energy.since);
  const row = (name, time, charge) => h("tr", null, h("th", { scope: "row" }, name),
    h("td", null, units.duration(time)), h("td", null, mAh(charge)));
  return card("shares", [T.energy.ledger, since === null ? null
    : h("span", { class: "quiet" }, T.energy.since(units.date(since)))],
    table(T.energy.ledger, T.energy.columns, [
      energy.shares.map((share) => row(nameOf(share.name), share.time_s, share.charge_mAh)),
      row(T.energy.total, energy.logged_s, energy.total_mAh)]),
    energy.gauge_mAh === undefined ? null : pairs(pair(T.energy.gauge, mAh(energy.gauge_mAh)),
      pair(T.energy.explained, mAh(energy.explained_mAh)),
      pair(T.energy.unexplained, mAh(energy.unexplained_mAh))));
}
