// One setting: sentence, editor, unit and range, origin, lock, trial, default.
import { h } from "./dom.js";
import { T } from "./texts.js";
import * as units from "./units.js";

export const shown = (value) => (value === null || value === undefined ? T.settings.notSet
  : typeof value === "object" ? JSON.stringify(value) : String(value));

/** The value of a text that a person typed. Throws a sentence if it is not JSON where JSON is due. */
function typed(item, text) {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (item.kind === "list" || item.kind === "object") {
    // Some groups have a short form, such as the path of a program.
    if (trimmed === "off" || item.kind === "object" && !/^[{["]/.test(trimmed)) return trimmed;
    try {
      return JSON.parse(trimmed);
    } catch {
      throw new Error(T.settings.noJSON);
    }
  }
  if (item.kind === "number" || item.kind === "integer") return Number.isFinite(Number(trimmed)) ? Number(trimmed)
    : trimmed;
  return trimmed;
}

/** The input of a setting. `change` is called with the new value, or with an error sentence as second argument. */
function editor(item, value, change, id) {
  const label = { id, "aria-describedby": `${id}-text` };
  if (item.kind === "flag") {
    return h("select", { ...label, value: String(value), onchange: (event) => change(event.target.value === "true") },
      h("option", { value: "true" }, T.settings.on), h("option", { value: "false" }, T.settings.off));
  }
  if (item.kind === "choice" && item.choices?.length) {
    const current = value === null || value === undefined ? [] : [String(value)];
    const choices = [...new Set([...item.choices, ...(item.off ? ["off"] : []), ...current])];
    return h("select", { ...label, value: String(value ?? ""), onchange: (event) => change(event.target.value) },
      value === null || value === undefined ? h("option", { value: "" }, T.settings.notSet) : null,
        choices.map((choice) => h("option", { value: choice }, choice)));
  }
  const onchange = (event) => {
    try {
      change(typed(item, event.target.value));
    } catch (error) {
      change(undefined, error.message);
    }
  };
  if (item.secret) return h("input", { ...label, class: "secret", autocomplete: "off", spellcheck: "false",
    placeholder: T.settings.secret, onchange });
  const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value, null,
    1) : String(value);
  if (item.kind === "list" || item.kind === "object") return h("textarea",
    { ...label, rows: "4", spellcheck: "false", class: "mono", value: text, onchange });
  return h("input", { ...label, value: text, spellcheck: "false", autocomplete: "off",
    inputmode: ["number", "integer"].includes(item.kind) ? "decimal" : null, onchange });
}

/** The range, the default and when a change applies. Durations are in seconds in the schema. */
function range(item) {
  const limit = (value) => (item.kind === "duration" && typeof value === "number" ? units.duration(value)
    : `${value} ${item.unit ?? ""}`.trim());
  const parts = [];
  const hasRange = [item.minimum, item.maximum].every((value) => value !== undefined && value !== null);
  if (hasRange) parts.push(T.settings.range(limit(item.minimum), limit(item.maximum)));
  if (item.kind !== "choice" && item.choices?.length) parts.push(T.settings.or(item.choices.join(", ")));
  else if (item.off && item.kind !== "choice") parts.push(T.settings.or("off"));
  parts.push(T.settings.default(item.default_text ?? shown(item.default)));
  if (item.applies === "restart") parts.push(T.settings.restart);
  return parts.join(" · ");
}

const badge = (text, kind) => h("span", { class: `badge ${kind ?? ""}` }, text);

/**
 * The row. `partner` is the same setting for trips, if there is one. `context` has pending, errors, trials, locked,
 * overridden, and change(key, value, error).
 */
export function settingRow(item, partner, context) {
  const id = `set-${item.key.replaceAll(/[^\w]/g, "-")}`;
  const value = context.pending.has(item.key) ? context.pending.get(item.key) : item.value;
  const trial = context.trials.find((one) => one.key === item.key);
  const isLocked = context.locked.some((key) => item.key === key || item.key.startsWith(`${key}.`));
  const overridden = context.overridden.find((one) => one.key === item.key);
  const error = context.errors.find((text) => text.includes(item.key));
  const isChanged = !["default", "--set"].includes(item.origin);
  const differs = partner && JSON.stringify(partner.value) !== JSON.stringify(item.value);
  return h("div", { class: `setting${context.pending.has(item.key) ? " pending" : ""}`, "data-key": item.key },
    h("div", { class: "row" }, h("label", { for: id, class: "grow" }, item.key),
      isChanged ? badge(T.settings.origins[item.origin] ?? item.origin, item.origin === "server" ? "search" : "")
        : null,
      trial ? badge(T.settings.trial(units.duration(trial.goes_back_in_s)), "search") : null,
        isLocked ? badge(T.settings.locked, "sleep") : null,
      item.remote && !isLocked ? badge(T.settings.remote) : null, item.origin === "--set" ? badge(T.settings.fixed,
        "fault") : null),
    h("p", { class: "quiet", id: `${id}-text` }, item.sentence),
    h("div", { class: partner ? "beside" : "" },
      h("div", null, partner ? h("span", { class: "label" }, T.settings.main) : null,
        editor(item, value, (next, problem) => context.change(item, next, problem), id)),
      partner ? h("div", { class: differs ? "differs" : "" }, h("label", { class: "label", for: `${id}-trip` },
        differs ? T.settings.tripDiffers : T.settings.trip),
        editor(partner, context.pending.has(partner.key) ? context.pending.get(partner.key) : partner.value,
          (next, problem) => context.change(partner, next, problem), `${id}-trip`)) : null),
    h("p", { class: "quiet small" }, range(item), " ",
      ["operator", "server"].includes(item.origin)
        ? h("button", { class: "plain", onclick: () => context.change(item, null) }, T.settings.reset) : null),
    overridden ? h("p", { class: "mark warning" }, T.settings.overridden(overridden.give_back)) : null,
    error ? h("p", { class: "mark fault", role: "alert" }, error) : null);
}
