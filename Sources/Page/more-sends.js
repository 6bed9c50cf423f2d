// Sends: the conversation with each server, newest first; test, send now, drop.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { live, mayWrite } from "./live.js";
import * as units from "./units.js";
import { get, post } from "./api.js";
import { act, ask, tell } from "./dialog.js";
import { answerText, pair } from "./now-actions.js";

const TEST_WAIT = 2000;
/** A test ends with the timeout of its destination, after the radio is up. */
const TEST_TRIES = 60;

export function open(root) {
  let name = null;
  let sends = null;
  let tests = [];
  let problem = null;
  let waiting = null;

  async function load() {
    problem = null;
    const asked = name;
    const answer = await get("sends", { destination: asked }).catch((error) => ((problem = error.detail), null));
    if (asked !== name) return;
    sends = answer?.sends ?? [];
    tests = (await get("test").catch(() => null))?.results ?? [];
    update();
  }

  async function test(event) {
    clearTimeout(waiting);
    const begun = await act(event, () => post("test", undefined, { destination: name }), T.sends.testing);
    if (!begun) return;
    let tries = 0;
    const look = async () => {
      tests = (await get("test").catch(() => null))?.results ?? tests;
      const result = tests.find((item) => item.id === begun.test);
      if (result) tell(result.sentence, result.ok ? "note" : "fault");
      else if (++tries < TEST_TRIES) waiting = setTimeout(look, TEST_WAIT);
      else tell(T.sends.noResult, "fault");
      update();
    };
    waiting = setTimeout(look, TEST_WAIT / 4);
  }

  async function drop(item) {
    const choice = await ask(T.sends.dropTitle(item.name), T.sends.dropText(units.count(item.queued)),
      [[true, T.sends.dropAction, "danger"]]);
    if (choice) await act(null, () => post("drop", undefined, { destination: item.name }), T.sends.dropped);
  }

  function update() {
    const list = live.status?.destinations ?? [];
    if (!live.status) return show(root, h("p", { class: "card" }, T.loading));
    if (list.length === 0) return show(root, h("p", { class: "card" }, T.destinations.none));
    if (name === null) {
      name = list[0].name;
      load();
    }
    const item = list.find((one) => one.name === name) ?? list[0];
    const result = tests.find((one) => one.destination === item.name);
    show(root,
      list.length > 1 ? h("label", { class: "field card", "data-key": "choice" }, h("span", { class: "label" },
        T.sends.destination),
        h("select", { value: item.name, onchange: (event) => ((name = event.target.value), (sends = null), load(),
          update()) },
          list.map((one) => h("option", { value: one.name }, one.name)))) : null,
      h("div", { class: "card", "data-key": "state" }, h("h2", null, item.name, item.server
        ? h("span", { class: "quiet" }, item.server) : null),
        item.trouble ? h("p", { class: "mark fault" }, item.trouble) : null,
        h("div", { class: "pairs" }, pair(T.destinations.queued, units.count(item.queued), "strong"),
          pair(T.sends.delivered, units.count(item.delivered), "strong"),
          pair(T.destinations.answer, answerText(item), "wide")),
        result ? h("p", { class: result.ok ? "mark" : "mark fault", "data-key": "test" }, resultText(result)) : null,
        mayWrite() ? h("div", { class: "actions" }, h("button", { class: "primary", "data-act": "send",
          onclick: (event) => act(event, () => post("send", undefined, { destination: item.name }),
            T.destinations.asked("1")) }, T.destinations.send),
        h("button", { onclick: test }, T.sends.test), h("button", { onclick: load }, T.sends.reload),
        item.queued > 0 ? h("button", { class: "danger", onclick: () => drop(item) }, T.sends.drop) : null) : null),
      problem ? h("p", { class: "card fault" }, T.failed(problem)) : null,
      conversation());
  }

  function resultText({ time, sentence }) {
    const when = time ? `, ${units.moment(units.instant(time))}` : "";
    return `${T.sends.lastTest}${when}: ${sentence}`;
  }

  function conversation() {
    if (sends === null) return h("p", { class: "card", "data-key": "list" }, T.loading);
    if (sends.length === 0) return h("p", { class: "card", "data-key": "list" }, T.sends.none);
    return h("div", { class: "card", "data-key": "list" }, h("h2", null, T.sends.title), h("ul", { class: "list" },
      sends.map((send) =>
      h("li", { class: "padded" }, h("p", { class: "row" }, h("strong", null, units.second(units.instant(send.time))),
        h("span", { class: send.status >= 200 && send.status < 300 ? "code" : "code bad" }, send.status
          ? String(send.status) : T.sends.noAnswer),
        h("span", null, send.consequence ?? ""),
        h("span", { class: "quiet end" },
          [T.log.records(units.count(send.records)), units.bytes(send.bytes), `${units.fixed(send.duration_s, 1)} s`]
            .join(" · "))),
      send.answer ? h("p", { class: "mono answer" }, send.answer) : null))));
  }

  update();
  return { update, close: () => clearTimeout(waiting) };
}
