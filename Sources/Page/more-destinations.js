// Destinations: addresses and tokens. Secrets can be written, never read.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { get, patchSettings } from "./api.js";
import { ask, tell } from "./dialog.js";
import { failure, field, loading, select } from "./parts.js";
import { testDestination } from "./destination-test.js";

const KINDS = ["overland", "owntracks", "query", "file"];
const HIDDEN = /…|\(hidden\)/;

export function open(root) {
  const state = { list: null, origin: "", problem: null, errors: [], isChanged: false, stored: [] };

  async function load() {
    try {
      const { settings } = await get("settings");
      const item = settings.find((one) => one.key === "destinations");
      Object.assign(state, { list: structuredClone(item?.value ?? []), origin: item?.origin ?? "default",
        stored: (item?.value ?? []).map((one) => one.name), problem: null, isChanged: false });
    } catch (problem) {
      state.problem = problem.detail;
    }
    update();
  }

  /** Hidden values go back as they came; the device keeps what it has stored, or says what must be entered. */
  async function save(queue) {
    try {
      await patchSettings({ destinations: state.list }, queue ? { queue } : undefined);
      state.errors = [];
      tell(T.destinationsPage.saved);
      await load();
    } catch (problem) {
      if (problem.status === 409 && !queue) {
        const choice = await ask(T.destinationsPage.queueTitle, [problem.detail, T.destinationsPage.queueText],
          [["keep", T.destinationsPage.keep, "primary"], ["drop", T.destinationsPage.drop, "danger"]]);
        return choice ? save(choice) : null;
      }
      state.errors = problem.errors.length ? problem.errors : [problem.detail];
      update();
    }
  }

  function set(item, key, value) {
    if (value === "") delete item[key];
    else item[key] = value;
    state.isChanged = true;
    update();
  }

  function input(item, index, key, type) {
    const isHidden = HIDDEN.test(String(item[key] ?? ""));
    const id = `destination-${index}-${key}`;
    return field(T.destinationsPage.fields[key], h("input", { id, type: type ?? "text",
      class: key === "token" ? "secret" : "", autocomplete: "off", spellcheck: "false",
      value: isHidden ? "" : String(item[key] ?? ""),
      placeholder: isHidden ? (key === "token" ? T.destinationsPage.isSet : String(item[key])) : "",
      onchange: (event) => (event.target.value || !isHidden ? set(item, key, event.target.value.trim()) : null) }));
  }

  const card = (item, index) => h("form", { class: "card", "data-key": `d${index}`, onsubmit: (event) =>
    event.preventDefault() },
    h("h2", null, item.name || T.destinationsPage.fresh),
    h("div", { class: "form" }, input(item, index, "name"),
      select(T.destinationsPage.fields.kind, item.kind, KINDS.map((kind) => [kind, kind]), (kind) =>
        set(item, "kind", kind)),
      item.kind === "file" ? input(item, index, "directory") : input(item, index, "url", "url"),
      input(item, index, "device_id"), item.kind === "file" ? null : input(item, index, "token")),
    h("div", { class: "actions" },
      state.stored.includes(item.name) ? h("button", { type: "button", disabled: state.isChanged,
        onclick: (event) => testDestination(event, item.name) }, T.sends.test) : null,
      h("button", { type: "button", class: "danger", onclick: () => remove(index) }, T.destinationsPage.remove)));

  async function remove(index) {
    const choice = await ask(T.destinationsPage.removeTitle(state.list[index].name || T.destinationsPage.fresh),
      T.destinationsPage.removeText, [[true, T.destinationsPage.remove, "danger"]]);
    if (!choice) return;
    state.list.splice(index, 1);
    state.isChanged = true;
    update();
  }

  function update() {
    if (state.problem) return show(root, failure(state.problem, load));
    if (!state.list) return show(root, loading());
    show(root,
      h("p", { class: "card", "data-key": "intro" }, T.destinationsPage.intro, state.origin === "--set"
        ? ` ${T.settings.fixedText}` : ""),
      state.list.map(card),
      state.errors.map((text) => h("p", { class: "card fault", role: "alert" }, text)),
      h("div", { class: "actions", "data-key": "actions" },
        h("button", { onclick: () => {
          state.list.push({ name: "", kind: "overland", url: "" });
          state.isChanged = true;
          update();
        } }, T.destinations.add),
        state.isChanged ? [h("button", { class: "primary", onclick: () => save() }, T.save),
          h("button", { onclick: load }, T.settings.discard)] : null));
  }
  update();
  load();
  return {};
}
