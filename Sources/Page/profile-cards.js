// The usage profiles: the cost of each before the choice, and what a choice changes before it is applied.
import { h } from "./dom.js";
import { T } from "./texts.js";
import { takeTrial } from "./live.js";
import * as units from "./units.js";
import { get, patchSettings } from "./api.js";
import { ask, tell } from "./dialog.js";
import { table } from "./parts.js";
import { shown } from "./setting-row.js";

const KEY = "usage_profile";
const charge = (value) => units.fixed(value, value < 100 ? 1 : 0);

/** What a profile costs: the receiver, and all consumers if the ledger has the others. */
function costText(profile) {
  if (!profile) return units.DASH;
  if (profile.receiver_mAh_day === undefined || profile.receiver_mAh_day === null) {
    return T.usage.missing(profile.missing.join(", "));
  }
  const parts = [T.usage.cost(charge(profile.receiver_mAh_day))];
  if (profile.total_mAh_day) parts.push(T.usage.total(charge(profile.total_mAh_day)));
  return parts.join(", ");
}

/** Asks for a profile, shows what it changes, and sets it. Returns its name, or null without a change. */
export async function chooseProfile() {
  const [report, { settings }] = await Promise.all([get("profiles"), get("settings")]);
  const values = new Map(settings.map((item) => [item.key, item]));
  const current = values.get(KEY);
  const costOf = (name) => costText(report.profiles.find((one) => one.name === name));
  const last = report.last_day;
  const name = await ask(T.usage.title, [T.usage.note, last ? T.usage.last(last.day, charge(last.receiver_mAh),
    charge(last.total_mAh)) : "", current?.origin === "--set" ? T.settings.fixedText : ""].filter(Boolean),
  Object.entries(T.usage.profiles).map(([key, [title, text]]) => {
    const isCurrent = key === current?.value;
    return [key, [h("strong", null, title, isCurrent ? ` · ${T.usage.now}` : ""), h("span", null, text),
      h("span", { class: "quiet" }, costOf(key))], `profile${isCurrent ? " chosen" : ""}`];
  }));
  if (!name || name === current?.value) return null;
  const choice = await ask(T.settings.preview, [
    `${T.usage.profiles[name][0]}: ${costOf(name)}. ${T.usage.before(costOf(current?.value))}`,
    changeTable(null, profileRows(report, name, values))], [[true, T.settings.apply, "primary"]]);
  if (!choice) return null;
  const answer = await patchSettings({ [KEY]: name }, { trial: 1 });
  if (answer.trial) takeTrial(answer.trial);
  tell([T.settings.applied, ...answer.warnings ?? []].join(" "));
  return name;
}

/** The table of a preview: rows of setting, present and future value. */
export const changeTable = (...rows) => table(T.settings.preview, T.settings.previewColumns, rows);

/** The head of a row: the key of a setting, which a narrow table breaks between its words. */
export const keyHead = (key) => h("th", { scope: "row" },
  key.match(/[^._]+[._]?/g).flatMap((part) => [part, h("wbr")]));

/** The rows of the preview for the settings that a profile presets. Settings of a person stay as they are. */
export function profileRows(report, name, values) {
  const changesOf = (key) => report?.profiles.find((one) => one.name === key)?.changes ?? {};
  const [after, before] = [changesOf(name), changesOf(report?.current)];
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].sort().map((key) => {
    const item = values.get(key);
    const isKept = ["file", "operator", "server", "--set"].includes(item?.origin);
    return h("tr", { class: "quiet" }, keyHead(key), h("td", null, shown(item?.value)),
      h("td", null, isKept ? T.usage.kept : after[key] ?? T.usage.off));
  });
}
