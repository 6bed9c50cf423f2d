// The Now screen: what the device does, and why.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { icon } from "./icons.js";
import { live, left, deviceTime, mayWrite, mayLocate, want, wantsLive, askForToken } from "./live.js";
import * as units from "./units.js";
import { recall, remember } from "./store.js";
import { get, patchSettings } from "./api.js";
import { act, ask } from "./dialog.js";
import { hero, stateOf } from "./hero.js";
import { notices, newFaults } from "./notices.js";
import { tripCard, destinationsCard, usageCard, forgetSettings } from "./now-actions.js";
import { todayCard, logCard, batteryCard, rejectedCard, receiverCard } from "./now-cards.js";

const TRACE_S = 120;
/** Fixes that come more seldom than this are gathered. */
const GATHERED_S = 2.2;
const STRIP_MS = 2 * 3600 * 1000;
/** The strip is loaded anew after this time. */
const STRIP_AGE_MS = 300000;

export function open(root) {
  forgetSettings();
  const samples = [];
  let lastFix = null;
  let liveTimer = null;
  const strip = { rows: null, asked: 0 };
  const loadStrip = async (to) => {
    strip.asked = to;
    const from = to - STRIP_MS;
    const answer = await get("timeline", { from, to }).catch(() => null);
    if (answer) Object.assign(strip, { rows: answer.rows, from, to });
  };
  const goLive = () => {
    clearTimeout(liveTimer);
    want({ live: !wantsLive() });
    if (wantsLive()) liveTimer = setTimeout(() => want({ live: false }), 120000);
  };

  function sample() {
    const fix = live.fix;
    if (!fix || fix === lastFix) return;
    lastFix = fix;
    const time = performance.now() / 1000;
    if (typeof fix.speed === "number") samples.push([time, fix.speed]);
    while (samples.length && samples[0][0] < time - TRACE_S) samples.shift();
  }

  function update() {
    sample();
    const { status } = live;
    if (!status) return show(root, hero(null, samples));
    const time = Math.round(deviceTime());
    if (time - strip.asked > STRIP_AGE_MS) loadStrip(time);
    show(root,
      h("div", { class: "column", "data-key": "left" },
        hero(status, samples),
        h("div", { class: "row under", "data-key": "under" }, trackingSwitch(status), livenessButton(status, goLive)),
        live.fixEvery > GATHERED_S && live.link === "live" && !wantsLive() && stateOf(status) === "tracking"
          ? h("p", { class: "quiet gathered", "data-key": "gathered" }, T.now.every(Math.round(live.fixEvery))) : null,
        mayWrite() ? null : h("p", { class: "card guest", "data-key": "guest" }, icon("note"), T.guest,
          live.access.page_sign_in ? h("button", { onclick: askForToken }, T.signIn.action) : null),
        noticesCard(status),
        tripCard(status, mayLocate() ? h("a", { class: "more", href: "#/more/trips" }, T.show) : null),
        destinationsCard(status), usageCard()),
      h("div", { class: "column", "data-key": "right" },
        receiverCard(status, strip), todayCard(status), batteryCard(status), logCard(status), rejectedCard(status)));
  }
  update();
  return { update, close: () => want({ live: false }) };
}

function livenessButton(status, goLive) {
  const isOn = ["tracking", "settling"].includes(stateOf(status));
  if (!isOn || live.link !== "live" || !mayWrite()) return null;
  return h("button", { class: "plain", "aria-pressed": wantsLive() ? "true" : "false", title: T.now.liveHelp,
    onclick: goLive },
    wantsLive() ? T.now.isLive : T.now.goLive);
}

/** The master switch. Turning it off asks first. */
function trackingSwitch(status) {
  const isOn = status.tracking !== false;
  const change = async (event) => {
    event.preventDefault();
    const choice = isOn ? await ask(T.now.turnOff, T.now.turnOffText, [[true, T.now.turnOffAction, "danger"]]) : true;
    if (choice) await act(null, () => patchSettings({ tracking: !isOn }));
  };
  return h("button", { class: "switch", role: "switch", "aria-checked": isOn ? "true" : "false", disabled: !mayWrite(),
    onclick: change, "data-act": "tracking" },
  h("span", { class: "knob" }), isOn ? T.now.trackingOn : T.now.trackingOff);
}

function noticesCard(status) {
  const isHeadline = (item) => stateOf(status) === "none" && item.title === T.notices.receiver;
  const list = notices(status).filter((item) => !isHeadline(item));
  const seen = Number(recall("seen")) || 0;
  const fresh = seen === 0 ? [] : newFaults(live.events, seen, status);
  const newest = live.events.at(-1)?.id ?? 0;
  if (seen === 0 && newest > 0) remember("seen", String(newest));
  if (list.length === 0 && fresh.length === 0) return null;
  return h("div", { class: "card notices", "data-key": "notices" },
    h("h2", null, T.notices.title),
    h("ul", null, list.map((item) => h("li", { class: item.level, "data-key": item.title },
      icon(item.level === "trial" ? "time" : item.level),
      h("div", null, h("strong", null, item.title),
        item.trial ? trialText(item.trial) : item.text ? h("p", null, item.text) : null)))),
    fresh.length === 0 ? null : h("div", { class: "since" }, h("h3", null, T.notices.since),
      h("ul", null, fresh.slice(-5).map((event) => h("li", { class: "warning" }, icon("warning"), h("div", null,
        h("strong", null, event.kind.replaceAll("_", " ")), h("p", null, event.detail ?? ""),
        h("p", { class: "quiet" }, units.moment(units.instant(event.time))))))),
      h("button", { onclick: () => remember("seen", String(newest)) }, T.notices.dismiss)));
}

function trialText(trial) {
  const keep = (event) => act(event, async () => {
    const { settings } = await get("settings");
    return patchSettings({ [trial.key]: settings.find((item) => item.key === trial.key)?.value });
  }, T.notices.kept(trial.key));
  const revert = (event) => act(event, () => patchSettings({ [trial.key]: null }), T.notices.reverted(trial.key));
  const time = left(trial.goes_back_in_s);
  return [time === null ? null : h("p", null, T.notices.trialText(units.duration(time))),
    mayWrite() ? h("div", { class: "actions" }, h("button", { onclick: keep }, T.notices.keep),
      h("button", { onclick: revert }, T.notices.revert)) : null];
}
