// Receiver: identity, dialogue, frames, and a console of what it sends.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { live, want, mayWrite, grown, recentEvents } from "./live.js";
import * as units from "./units.js";
import { get } from "./api.js";
import { copy } from "./dialog.js";
import { card, loading, pair, pairs } from "./parts.js";

const EVENTS = /^receiver_|^first_fix$/;
const SHOWN = 200;

export function open(root) {
  let control = null;
  let isPaused = false;
  let held = [];
  let filter = "";
  let events = null;
  if (mayWrite()) {
    want({ raw: true });
    get("settings").then(({ settings }) => {
      control = settings.find((item) => item.key === "receiver.control")?.value ?? null;
      update();
    }, () => {});
  }

  function update() {
    const { receiver, reception = {}, tracker = {} } = live.status ?? {};
    if (!receiver) return show(root, loading());
    if (events === null) {
      events = [];
      recentEvents().then((list) => ((events = list), update()));
    }
    const text = (label, value) => (value === undefined || value === null ? null : pair(label, String(value)));
    show(root,
      h("div", { class: "card", "data-key": "identity" },
        h("p", { class: "lead" }, receiver.module ?? T.receiverPage.noModule),
        receiver.trouble ? h("p", { class: "mark fault" }, receiver.trouble) : null,
        control === "none" ? h("p", { class: "mark warning" }, T.receiverPage.neverWrites) : null,
        pairs(text(T.receiverPage.port, receiver.port), text(T.receiverPage.family,
          receiver.family),
          text(T.receiverPage.firmware, receiver.firmware), text(T.receiverPage.speed, receiver.speed_baud
            && `${receiver.speed_baud} Bd`),
          text(T.receiverPage.dialogue, receiver.state), text(T.receiver.state, tracker.state
            && (T.state[tracker.state]?.name ?? tracker.state)),
          text(T.receiverPage.control, control), text(T.receiverPage.gpsd, receiver.gpsd
            && `${receiver.gpsd.release ?? ""} ${receiver.gpsd.driver ?? ""}`))),
      card("frames", T.receiverPage.traffic, pairs(
        pair(T.receiverPage.frames, units.count(receiver.valid_frames), "strong"),
        pair(T.receiverPage.errors, units.count(receiver.checksum_errors), "strong"),
        pair(T.receiverPage.silence, T.destinations.ago(units.duration(grown(reception.epoch_age_s))), "strong"))),
      setUp(), mayWrite() ? consoleCard() : null);
  }

  /** What was configured and what was rejected, from the events. */
  function setUp() {
    const known = new Map([...events, ...live.events].map((event) => [event.id, event]));
    const rows = [...known.values()].filter((event) => EVENTS.test(event.kind)).slice(-8).reverse();
    return card("events", T.receiverPage.events,
      rows.length === 0 ? h("p", { class: "quiet" }, T.events.none) : h("ul", { class: "list" },
        rows.map((event) => h("li", { class: "padded" },
        h("strong", null, event.kind.replaceAll("_", " ")), h("p", null, event.detail ?? ""),
          h("p", { class: "quiet" }, units.moment(units.instant(event.time)))))));
  }

  function consoleCard() {
    if (!isPaused) held = live.raw;
    const lines = held.filter((line) => line.toLowerCase().includes(filter.toLowerCase())).slice(-SHOWN);
    return card("console", T.receiverPage.console,
      h("div", { class: "row" },
        h("input", { class: "grow", type: "search", placeholder: T.receiverPage.filter,
          "aria-label": T.receiverPage.filter,
          oninput: (event) => ((filter = event.target.value), update()) }),
        h("button", { "aria-pressed": String(isPaused), onclick: () => ((isPaused = !isPaused), update()) },
          T.receiverPage.pause),
        h("button", { onclick: () => copy(lines.join("\n")) }, T.copy)),
      lines.length === 0 ? h("p", { class: "quiet" }, T.receiverPage.noLines) : null,
      h("pre", { class: "console", tabindex: "0", "aria-label": T.receiverPage.console },
        lines.slice().reverse().join("\n")),
      live.rawMore > 0 ? h("p", { class: "quiet" }, T.receiverPage.leftOut(units.count(live.rawMore))) : null);
  }

  update();
  return { update, close: () => want({ raw: false }) };
}
