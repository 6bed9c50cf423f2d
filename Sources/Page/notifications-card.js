// Notifications: the hooks and the heartbeat with their last answers, and a test.
import { h } from "./dom.js";
import { T } from "./texts.js";
import { live, grown, mayWrite } from "./live.js";
import * as units from "./units.js";
import { post } from "./api.js";
import { act } from "./dialog.js";
import { card, pair, pairs } from "./parts.js";

const since = (seconds) => (seconds === undefined ? units.DASH : T.destinations.ago(units.duration(grown(seconds))));
const answer = (item) => (item ? `${item.text}, ${since(item.age_s)}` : units.DASH);

/** The card; nil without hooks and heartbeat. */
export function notificationsCard() {
  const { notifications, heartbeat } = live.status ?? {};
  const hooks = notifications?.hooks ?? [];
  if (hooks.length === 0 && !heartbeat) return null;
  return card("notifications", T.notify.title,
    hooks.map(hookRow), heartbeat ? heartbeatRow(heartbeat) : null,
    hooks.length && mayWrite() ? h("div", { class: "actions" },
      h("button", { onclick: (event) => act(event, () => post("notify/test"), T.notify.testing) }, T.notify.test))
      : null);
}

const hookRow = (hook, at) => h("div", { "data-key": String(at) }, h("h3", null, hook.to),
  pairs(pair(T.notify.kinds, hook.kinds?.join(", ") ?? T.notify.usual, "wide"),
    pair(T.notify.delivered, units.count(hook.handed_over)), pair(T.notify.failed, units.count(hook.failed)),
    hook.held ? pair(T.notify.held, units.count(hook.held)) : null,
    pair(T.notify.answer, answer(hook.last_answer), "wide"),
    hook.last_test ? pair(T.notify.lastTest, answer(hook.last_test), "wide") : null),
  hook.trouble ? h("p", { class: "mark fault" }, hook.trouble) : null);

const heartbeatRow = (beat) => h("div", { "data-key": "heartbeat" }, h("h3", null, T.notify.heartbeat),
  pairs(pair(T.notify.to, beat.url, "wide"),
    pair(T.notify.every, units.duration(beat.every_s)), pair(T.notify.lastSuccess, since(beat.last_success_age_s)),
    pair(T.notify.state, beat.healthy ? T.notify.healthy : T.notify.unhealthy)),
  beat.trouble ? h("p", { class: "mark fault" }, beat.trouble) : null);
