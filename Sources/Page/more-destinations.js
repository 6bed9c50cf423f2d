// Destinations: addresses and tokens. Secrets can be written, never read.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { get, patchSettings, post } from "./api.js";
import { act, ask, tell } from "./dialog.js";

const KINDS = ["overland", "owntracks", "query", "file"];
const HIDDEN = /…|\(hidden\)/;
const TEST_WAIT = 2000;

export function open(root) {
  const state = { list: null, origin: "", problem: null, errors: [], isChanged: false, stored: [], mayTest: true };
  let waiting = null;

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

  /** Tests a stored destination; the result comes later. A logger without this test answers 404. */
  async function test(name, event) {
    const result = async () => (await get("test").catch(() => null))?.results?.find((one) => one.destination === name);
    const before = (await result())?.time;
    const answer = await act(event, () => post("test", undefined, { destination: name }).catch((problem) => {
      if (problem.status === 404) state.mayTest = false;
      throw problem;
    }), T.sends.testing);
    if (!answer) return update();
    let tries = 0;
    const look = async () => {
      const found = await result();
      if (found && found.time !== before) tell(found.sentence, found.ok ? "note" : "fault");
      else if (++tries < 15) waiting = setTimeout(look, TEST_WAIT);
    };
    look();
  }

  function set(item, key, value) {
    if (value === "") delete item[key];
    else item[key] = value;
    state.isChanged = true;
    update();
  }

  function field(item, index, key, type) {
    const isHidden = HIDDEN.test(String(item[key] ?? ""));
    const id = `destination-${index}-${key}`;
    return h("label", { class: "field", for: id }, h("span", { class: "label" }, T.destinationsPage.fields[key]),
      h("input", { id, type: type ?? "text", class: key === "token" ? "secret" : "", autocomplete: "off",
        spellcheck: "false",
        value: isHidden ? "" : String(item[key] ?? ""), placeholder: isHidden
          ? (key === "token" ? T.destinationsPage.isSet : String(item[key])) : "",
        onchange: (event) => (event.target.value || !isHidden ? set(item, key, event.target.value.trim()) : null) }));
  }

  const card = (item, index) => h("form", { class: "card", "data-key": `d${index}`, onsubmit: (event) =>
    event.preventDefault() },
    h("h2", null, item.name || T.destinationsPage.fresh),
    h("div", { class: "form" }, field(item, index, "name"),
      h("label", { class: "field", for: `destination-${index}-kind` }, h("span", { class: "label" },
        T.destinationsPage.fields.kind),
        h("select", { id: `destination-${index}-kind`, value: item.kind, onchange: (event) => set(item, "kind",
          event.target.value) }, KINDS.map((kind) => h("option", { value: kind }, kind)))),
      item.kind === "file" ? field(item, index, "directory") : field(item, index, "url", "url"),
      field(item, index, "device_id"), item.kind === "file" ? null : field(item, index, "token")),
    h("div", { class: "actions" },
      state.mayTest && state.stored.includes(item.name) ? h("button", { type: "button", disabled: state.isChanged,
        onclick: (event) => test(item.name, event) }, T.sends.test) : null,
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
    if (state.problem) return show(root, h("p", { class: "card fault" }, T.failed(state.problem), " ",
      h("button", { onclick: load }, T.retry)));
    if (!state.list) return show(root, h("p", { class: "card" }, T.loading));
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
  return { close: () => clearTimeout(waiting) };
}
