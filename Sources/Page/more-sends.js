// Sends: the conversation with each server, newest first; test, send now, drop.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { live, mayWrite } from "./live.js";
import * as units from "./units.js";
import { get, post } from "./api.js";
import { act, ask } from "./dialog.js";
import { testDestination } from "./destination-test.js";
import { answerText } from "./now-actions.js";
import { card, failure, loading, pair, pairs, select } from "./parts.js";

export function open(root) {
  let name = null;
  let sends = null;
  let tests = [];
  let problem = null;

  async function load() {
    if (!mayWrite()) return;
    problem = null;
    const asked = name;
    const answer = await get("sends", { destination: asked }).catch((error) => ((problem = error.detail), null));
    if (asked !== name) return;
    sends = answer?.sends ?? [];
    tests = (await get("test").catch(() => null))?.results ?? [];
    update();
  }

  async function test(event) {
    const result = await testDestination(event, name);
    if (result) tests = [result, ...tests];
    update();
  }

  async function drop(item) {
    const choice = await ask(T.sends.dropTitle(item.name), T.sends.dropText(units.count(item.queued)),
      [[true, T.sends.dropAction, "danger"]]);
    if (choice) await act(null, () => post("drop", undefined, { destination: item.name }), T.sends.dropped);
  }

  function update() {
    const list = live.status?.destinations ?? [];
    if (!live.status) return show(root, loading());
    if (list.length === 0) return show(root, h("p", { class: "card" }, T.destinations.none));
    if (name === null) {
      name = list[0].name;
      load();
    }
    const item = list.find((one) => one.name === name) ?? list[0];
    const result = tests.find((one) => one.destination === item.name);
    show(root,
      list.length > 1 ? h("div", { class: "card", "data-key": "choice" }, select(T.sends.destination, item.name,
        list.map((one) => [one.name, one.name]), (chosen) => ((name = chosen), (sends = null), load(), update())))
        : null,
      card("state", [item.name, item.server ? h("span", { class: "quiet" }, item.server) : null],
        item.trouble ? h("p", { class: "mark fault" }, item.trouble) : null,
        pairs(pair(T.destinations.queued, units.count(item.queued), "strong"),
          pair(T.sends.delivered, units.count(item.delivered), "strong"),
          item.trouble ? null : pair(T.destinations.answer, answerText(item), "wide")),
        result ? h("p", { class: result.ok ? "mark" : "mark fault", "data-key": "test" }, resultText(result)) : null,
        mayWrite() ? h("div", { class: "actions" }, h("button", { class: "primary", "data-act": "send",
          onclick: (event) => act(event, () => post("send", undefined, { destination: item.name }),
            T.destinations.asked("1")) }, T.destinations.send),
        h("button", { onclick: test }, T.sends.test), h("button", { onclick: load }, T.sends.reload),
        item.queued > 0 ? h("button", { class: "danger", onclick: () => drop(item) }, T.sends.drop) : null) : null),
      failure(problem, load),
      conversation());
  }

  function resultText({ time, sentence }) {
    const when = time ? `, ${units.moment(units.instant(time))}` : "";
    return `${T.sends.lastTest}${when}: ${sentence}`;
  }

  function conversation() {
    if (!mayWrite()) return h("p", { class: "card", "data-key": "list" }, T.timeline.guest(T.sends.title));
    if (sends === null) return h("p", { class: "card", "data-key": "list" }, T.loading);
    if (sends.length === 0) return h("p", { class: "card", "data-key": "list" }, T.sends.none);
    return card("list", T.sends.title, h("ul", { class: "list" },
      sends.map((send) =>
      h("li", { class: "padded" }, h("p", { class: "row" }, h("strong", null, units.second(units.instant(send.time))),
        h("span", { class: send.status >= 200 && send.status < 300 ? "code" : "code bad" }, send.status
          ? String(send.status) : T.sends.noAnswer),
        h("span", null, send.consequence ?? ""),
        h("span", { class: "quiet end" },
          [T.log.records(units.count(send.records)), units.bytes(send.bytes), units.brief(send.duration_s)]
            .join(" · "))),
      send.answer ? h("p", { class: "mono answer" }, send.answer) : null))));
  }

  update();
  return { update };
}
