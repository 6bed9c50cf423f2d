// Cards of the Now screen that only show: receiver, today, battery, log, rejected fixes.
import { h, s } from "./dom.js";
import { T } from "./texts.js";
import { grown, mayLocate } from "./live.js";
import * as units from "./units.js";
import { pair } from "./now-actions.js";
import { strip as drawStrip } from "./strip.js";

const card = (key, title, link, ...children) =>
  h("div", { class: `card ${key}`, "data-key": key },
    h("h2", null, title, link ? h("a", { class: "more", href: link }, T.show) : null), children);

const pairs = (...rows) => h("div", { class: "pairs" }, rows.filter(Boolean).map(([label, value, kind]) =>
  pair(label, value, kind)));
const countPairs = (...rows) => h("div", { class: "pairs counts" },
  rows.map(([label, value, kind]) => pair(label, value, kind)));
const known = (label, value, text) => (value === undefined || value === null ? null : [label, text(value)]);

export function receiverCard(status, timeline) {
  const { receiver, tracker = {} } = status;
  if (!receiver) return null;
  const receiverRow = timeline.rows?.find((row) => row.name === "receiver");
  const profile = tracker.profile ? [T.receiver.profile, tracker.profile + (tracker.profile_reason
    ? ` (${tracker.profile_reason})` : ""), "wide"]
    : null;
  return card("receiver", T.receiver.title, "#/more/receiver",
    h("p", { class: "lead" }, receiver.module ?? receiver.family ?? T.unknown,
      h("span", { class: "quiet" }, `${receiver.port}${receiver.speed_baud ? ` · ${receiver.speed_baud} Bd` : ""}`)),
    receiverRow ? h("div", { class: "hours" }, h("h3", null, T.receiver.last), drawStrip(receiverRow, timeline.from,
      timeline.to, tracker)) : null,
    pairs([T.receiver.state, T.stateNames[tracker.state] ?? receiver.state ?? T.unknown],
      known(T.receiver.policy, tracker.policy,
      (name) => T.receiver.policies[name] ?? name),
      profile));
}

export function todayCard(status) {
  const { today } = status;
  if (!today) return null;
  return card("today", T.today.title, mayLocate() ? "#/time" : null,
    pairs([T.today.distance, units.length(today.distance_m), "strong"], [T.today.records, units.count(today.records),
      "strong"],
      [T.today.trips, units.count(today.trips), "strong"], [T.today.visits, units.count(today.visits), "strong"],
      known(T.today.on, today.receiver_on_s, units.duration), known(T.today.charge, today.charge_mAh,
        (value) => `${units.fixed(value)} mAh`),
      known(T.today.sends, today.sends, units.count), known(T.today.bytes, today.bytes_sent, units.bytes)));
}

/** The date after a number of days, from the device's time. */
const dateAfter = (status, days) => {
  const time = units.instant(status.time);
  return time === null || days > 3650 ? null : units.date(time + days * 86400000);
};

export function batteryCard(status) {
  const { battery, power } = status;
  if (!battery && !power) return null;
  const days = power?.days_left;
  const date = days ? dateAfter(status, days.likeliest) : null;
  return card("battery", T.batteryCard.title, "#/more/energy",
    h("p", { class: "lead" }, battery?.percent === undefined ? units.DASH : `${Math.round(battery.percent)} %`,
      h("span", { class: "quiet" }, T.batteryCard[battery?.state] ?? battery?.state ?? "")),
    battery?.percent === undefined ? null : gaugeBar(battery.percent, power?.level),
    days ? h("p", null, h("strong", null, T.batteryCard.left(units.duration(days.likeliest * 86400))),
      date ? `, ${T.batteryCard.until(date)}` : "",
      h("span", { class: "quiet" }, ` ${T.batteryCard.range(units.fixed(days.fewest), units.fixed(days.most))}`))
      : battery?.state === "unplugged" ? h("p", { class: "quiet" }, T.batteryCard.noForecast) : null,
    battery?.percent_doubt ? h("p", { class: "mark warning" }, `${T.batteryCard.doubt}: ${battery.percent_doubt}`)
      : null,
    pairs(known(T.batteryCard.voltage, battery?.voltage_V, (value) => `${units.fixed(value, 2)} V`),
      known(T.batteryCard.current, battery?.current_mA, (value) => `${units.fixed(value)} mA`),
      known(T.batteryCard.rate, battery?.rate_percent_h,
        (value) => `${units.fixed(value, 1)} ${T.batteryCard.perHour}`),
      known(T.batteryCard.age, battery?.age_s, (value) => units.duration(grown(value))),
      power ? [T.batteryCard.level, `${power.level}: ${power.reason}`, "wide"] : null,
      power?.budget ? [T.batteryCard.target, power.budget, "wide"] : null));
}

const gaugeBar = (percent, level) => s("svg", { class: `gauge ${level ?? ""}`, viewBox: "0 0 100 4",
  preserveAspectRatio: "none", "aria-hidden": "true" },
  s("rect", { width: 100, height: 4, class: "empty" }), s("rect", { width: Math.max(1, Math.min(100, percent)),
    height: 4 }));

export function logCard(status) {
  const { log } = status;
  const counts = log.counts ?? status.records ?? {};
  const isOfRun = !log.counts && Boolean(status.records);
  const kinds = Object.entries(T.log.kinds).map(([kind, name]) => [name, units.count(counts[kind] ?? 0), "strong"]);
  const loss = log.loss_bound_s === undefined ? null
    : log.waiting === 0 ? T.log.lossNone : T.log.loss(units.duration(log.loss_bound_s),
      T.log.records(units.count(log.waiting)));
  if (log.count !== undefined) kinds.unshift([T.log.total, units.count(log.count), "strong"]);
  return card("log", T.log.title, null,
    isOfRun ? h("p", { class: "quiet" }, `${Object.values(T.log.kinds).join(", ")}: ${T.log.run}`) : null,
    countPairs(...kinds, [T.log.undated, units.count(log.undated ?? 0), "strong"],
      [T.log.missing, units.count(log.missing ?? 0), "strong"]),
    loss ? h("p", null, loss) : null,
    log.bytes === undefined ? null : h("p", { class: "quiet" },
      `${T.log.size} ${units.bytes(log.bytes)}`, log.limit_bytes ? ` / ${units.bytes(log.limit_bytes)}` : "",
      log.medium ? ` · ${log.medium}` : "",
      log.last_flush_ms === undefined ? "" : ` · ${T.log.flush} ${units.fixed(log.last_flush_ms)} ms`));
}

/** The last value of a filter; a time is that of its last fix. */
const lastText = (text) => (/^\d{4}-\d\d-\d\dT/.test(text) ? units.moment(units.instant(text)) : text);

export function rejectedCard(status) {
  const entries = Object.entries(status.rejected ?? {}).filter(([, number]) => number > 0).sort((a, b) => b[1] - a[1]);
  return card("rejected", T.rejected.title, null,
    entries.length === 0 ? h("p", { class: "quiet" }, T.rejected.none)
      : h("table", null, h("tbody", null, entries.map(([reason, number]) => h("tr", null,
        h("th", { scope: "row" }, reason.replaceAll("_", " ")), h("td", { class: "number" }, units.count(number)),
        h("td", { class: "quiet" }, status.rejected_last?.[reason]
          ? `${T.rejected.last} ${lastText(status.rejected_last[reason])}` : ""))))),
    status.epochs === undefined ? null : h("p", { class: "quiet" },
      `${T.rejected.epochs} ${units.count(status.epochs)} · ${T.rejected.kept} ${units.count(status.kept)}`));
}
