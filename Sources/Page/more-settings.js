// Settings: every setting of the schema. Changes are collected, shown, and made with one request.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { live, takeTrial } from "./live.js";
import { get, patchSettings } from "./api.js";
import { act, ask, tell } from "./dialog.js";
import { settingRow, shown } from "./setting-row.js";
import { chooseProfile, changeTable, keyHead, profileRows } from "./profile-cards.js";
import { failure, loading, select } from "./parts.js";
import { setupCard } from "./setup-url.js";

/** Settings that can cut this page off from the device: those on trial, and those that apply after a restart. */
const ON_TRIAL = /^(api|page)\./;
const RISKY = /^(network|host)\.|^api\.enabled$/;
const HIDDEN = /^destinations/;

export function open(root, _, parameters) {
  const state = { schema: null, values: new Map(), group: null, search: "", isChangedOnly: false,
    pending: new Map(), errors: [], problem: null, at: 0 };
  const context = {
    get pending() { return state.pending; },
    get errors() { return state.errors; },
    trials: [], locked: [], overridden: [],
    change(item, value, problem) {
      state.errors = state.errors.filter((text) => !text.includes(item.key));
      if (problem) state.errors = [...state.errors, `${item.key}: ${problem}`];
      else if (value !== null && JSON.stringify(value) === JSON.stringify(item.value)) state.pending.delete(item.key);
      else state.pending.set(item.key, value);
      update();
    },
  };

  async function load() {
    try {
      const [schema, values] = await Promise.all([get("settings/schema"), get("settings")]);
      take(values);
      state.schema = schema.settings.filter((item) => state.values.has(item.key) && !HIDDEN.test(item.key));
      state.problem = null;
    } catch (problem) {
      state.problem = problem.detail;
    }
    update();
    if (parameters.has("search")) root.querySelector("[type=search]")?.focus();
  }

  function take(values) {
    state.values = new Map(values.settings.map((item) => [item.key, item]));
    context.locked = state.values.get("remote.locked")?.value ?? [];
    state.isDurable = values.is_durable;
    state.warnings = values.warnings ?? [];
  }

  const full = (item) => ({ ...item, value: state.values.get(item.key)?.value ?? null,
    origin: state.values.get(item.key)?.origin ?? "default" });

  async function review() {
    const items = state.schema.filter((item) => state.pending.has(item.key)).map(full);
    const isRisky = items.some((item) => RISKY.test(item.key));
    const isOnTrial = items.some((item) => ON_TRIAL.test(item.key));
    const profiles = state.pending.has("usage_profile") ? await get("profiles").catch(() => null) : null;
    const table = changeTable(items.map((item) => h("tr", null, keyHead(item.key),
      h("td", null, item.secret ? "…" : shown(item.value)),
      h("td", null, item.secret ? "…" : state.pending.get(item.key) === null ? T.settings.reset
        : shown(state.pending.get(item.key)), item.applies === "restart" ? ` ${T.settings.atRestart}` : ""))),
    profiles ? profileRows(profiles, state.pending.get("usage_profile") ?? "off", state.values) : null);
    const choice = await ask(T.settings.preview, [table,
      isOnTrial ? h("p", { class: "mark" }, T.settings.onTrial) : null,
      isRisky ? h("p", { class: "mark fault" }, T.settings.risky) : null].filter(Boolean),
      [[true, T.settings.apply, isRisky ? "danger" : "primary"]]);
    if (choice) apply();
  }

  async function apply() {
    try {
      const before = await get("settings");
      const changed = [...state.pending.keys()].filter((key) =>
        JSON.stringify(before.settings.find((item) =>
        item.key === key)?.value) !== JSON.stringify(state.values.get(key)?.value));
      if (changed.length > 0) {
        take(before);
        update();
        return tell(T.settings.meanwhile(changed.join(", ")), "fault");
      }
      const answer = await patchSettings(Object.fromEntries(state.pending), { trial: 1 });
      take(answer);
      if (answer.trial) takeTrial({ ...answer.trial, listen: state.values.get("api.listen")?.value });
      state.pending.clear();
      state.errors = [];
      tell([T.settings.applied, ...state.warnings].join(" "));
    } catch (problem) {
      state.errors = problem.errors.length ? problem.errors : [problem.detail];
      tell(problem.detail, "fault");
    }
    update();
  }

  function update() {
    if (state.problem) return show(root, failure(state.problem, load));
    if (!state.schema) return show(root, loading());
    const { status } = live;
    context.trials = status?.remote?.on_trial ?? [];
    context.overridden = status?.overridden_keys ?? [];
    const groups = [...new Set(state.schema.map((item) => item.group))];
    const group = state.group ?? groups[0];
    const words = state.search.toLowerCase();
    const isFiltered = words !== "" || state.isChangedOnly;
    const list = state.schema.map(full).filter((item) => (isFiltered || item.group === group)
      && (!state.isChangedOnly || item.origin !== "default")
        && `${item.key} ${item.sentence}`.toLowerCase().includes(words));
    const byKey = new Map(state.schema.map((item) => [item.key, item]));
    const partnerOf = (item) => (item.key.startsWith("main.") && byKey.has(`trip.${item.key.slice(5)}`)
      ? full(byKey.get(`trip.${item.key.slice(5)}`)) : null);
    const isPaired = (item) => item.key.startsWith("trip.") && byKey.has(`main.${item.key.slice(5)}`)
      && list.some((one) => one.key === `main.${item.key.slice(5)}`);
    const loose = state.errors.filter((text) => !state.schema.some((item) => text.includes(item.key)));
    show(root,
      h("div", { class: "card", "data-key": "filter" },
        h("input", { type: "search", placeholder: T.settings.search, "aria-label": T.settings.search,
          oninput: (event) => ((state.search = event.target.value), update()) }),
        h("label", { class: "row" }, h("input", { type: "checkbox", checked: state.isChangedOnly,
          onchange: () => ((state.isChangedOnly = !state.isChangedOnly), update()) }), T.settings.changedOnly),
        isFiltered ? null : select(T.settings.group, group, groups.map((name) => [name, name || T.settings.general]),
          (name) => ((state.group = name), update())),
        h("button", { onclick: (event) => act(event, async () => (await chooseProfile()) && load()) },
          T.usage.choose)),
      state.isDurable === false || status?.settings_trouble ? h("p", { class: "card", "data-key": "durable" },
        status?.settings_trouble ?? T.settings.notDurable) : null,
      loose.map((text) => h("p", { class: "card fault", role: "alert" }, text)),
      list.length === 0 ? h("p", { class: "card", "data-key": "empty" },
        T.settings.nothing) : null,
      list.length ? h("div", { class: "card settings-list", "data-key": "list" },
        list.filter((item) => !isPaired(item)).map((item) => settingRow(item, partnerOf(item), context))) : null,
      !isFiltered && group === groups[0] ? setupCard(load) : null,
      state.pending.size ? h("div", { class: "pending-bar", "data-key": "bar" }, h("span", { class: "grow" },
        T.settings.pending(state.pending.size)),
        h("button", { onclick: () => (state.pending.clear(), (state.errors = []), update()) }, T.settings.discard),
        h("button", { class: "primary", onclick: review }, T.settings.review)) : null);
  }

  update();
  load();
  return { update: () => (state.at++ % 10 === 0 ? update() : null) };
}
