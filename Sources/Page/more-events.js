// Events: the feed of the log, newest first, with groups.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { live, mayLocate } from "./live.js";
import * as units from "./units.js";
import { get } from "./api.js";
import { failure, field, select } from "./parts.js";
import { notificationsCard } from "./notifications-card.js";

const BACK = 2000;

export function open(root) {
  const state = { older: [], after: null, group: "", text: "", problem: null };
  async function load() {
    const last = state.after ?? live.events[0]?.id ?? live.status?.log?.last_id ?? 0;
    state.after = Math.max(0, last - BACK);
    const answer = await get("events", { after: state.after }).catch((problem) => ((state.problem = problem.detail),
      null));
    if (answer) Object.assign(state, { older: answer.events, problem: null });
    update();
  }
  let isAsked = false;

  function update() {
    if (!isAsked && live.status) {
      isAsked = true;
      load();
    }
    const all = new Map([...state.older, ...live.events].map((event) => [event.id, event]));
    const rows = [...all.values()].sort((a, b) => b.id - a.id).filter((event) => (!state.group
      || event.group === state.group) &&
      `${event.kind} ${event.detail ?? ""}`.toLowerCase().includes(state.text.toLowerCase()));
    show(root, notificationsCard(),
      h("div", { class: "card row", "data-key": "filter" },
        select(T.events.group, state.group, [["", T.all], ...Object.entries(T.events.groups)],
          (group) => ((state.group = group), update())),
        field(T.events.search,
          h("input", { type: "search", oninput: (event) => ((state.text = event.target.value), update()) }))),
      failure(state.problem, load),
      h("div", { class: "card", "data-key": "list" }, rows.length === 0 ? h("p", { class: "quiet" }, T.events.none)
        : h("ul", { class: "list" }, rows.slice(0, 500).map(row)),
      state.after > 0 ? h("div", { class: "actions" }, h("button", { onclick: load }, T.events.older)) : null));
  }
  update();
  return { update };
}

const row = (event) => {
  const time = units.instant(event.time);
  return h("li", { class: "padded", "data-key": String(event.id) },
    h("p", { class: "row" }, h("strong", null, event.kind.replaceAll("_", " ")),
      time !== null && mayLocate() ? h("a", { class: "end more", href: `#/map?at=${time}` }, T.screens.map) : null),
    h("p", null, event.detail ?? ""), h("p", { class: "quiet" }, time === null ? T.events.undated
      : units.moment(time)));
};
