// The usage profiles with their cost before the choice, and what a choice would change.
import { h } from "./dom.js";
import { T } from "./texts.js";
import * as units from "./units.js";
import { shown } from "./setting-row.js";

const KEY = "usage_profile";
const charge = (value) => units.fixed(value, value < 100 ? 1 : 0);

/** What a profile costs: the receiver, and all consumers if the ledger has the others. */
function costText(profile) {
  if (!profile) return units.DASH;
  if (profile.receiver_mAh_day === undefined || profile.receiver_mAh_day === null) {
    return T.settings.profileMissing(profile.missing.join(", "));
  }
  const parts = [T.settings.profileCost(charge(profile.receiver_mAh_day))];
  if (profile.total_mAh_day) parts.push(T.settings.profileTotal(charge(profile.total_mAh_day)));
  return parts.join(", ");
}

/** The cards; nil without the setting. */
export function profileCards(report, items, pending, change) {
  const item = items.find((one) => one.key === KEY);
  if (!item) return null;
  const current = pending.get(KEY) ?? item.value;
  const last = report?.last_day;
  return h("div", { class: "profiles", "data-key": "profiles" },
    Object.entries(T.settings.profileCards).map(([name, [title, text]]) =>
      h("button", { class: "card profile", "aria-pressed": String(current === name), "data-key": name,
        onclick: () => change(item, name) },
      h("strong", null, title), h("span", null, text),
      h("span", { class: "quiet" }, costText(report?.profiles.find((one) => one.name === name))))),
    last ? h("p", { class: "quiet" }, T.settings.profileLast(last.day, charge(last.receiver_mAh),
      charge(last.total_mAh))) : null,
    h("p", { class: "quiet" }, T.settings.profileNote));
}

/** The rows of the preview for the settings that a chosen profile presets. Settings of a person stay as they are. */
export function profileRows(report, pending, values) {
  const name = pending.get(KEY);
  const chosen = report?.profiles.find((one) => one.name === (name ?? "off"));
  if (!pending.has(KEY) || !chosen) return [];
  const before = report.profiles.find((one) => one.name === report.current)?.changes ?? {};
  return [...new Set([...Object.keys(chosen.changes), ...Object.keys(before)])].sort().map((key) => {
    const item = values.get(key);
    const isKept = ["file", "operator", "server", "--set"].includes(item?.origin);
    return h("tr", { class: "quiet" }, h("th", { scope: "row" }, key), h("td", null, shown(item?.value)),
      h("td", null, isKept ? T.settings.profileKept : chosen.changes[key] ?? T.settings.profileOff),
      h("td", null, T.settings.atOnce));
  });
}
