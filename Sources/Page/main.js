// Start of the page: shell, navigation, keys. Screens are loaded when they are first shown.
import { h, s, show } from "./dom.js";
import { T } from "./texts.js";
import { live, listen, start, watch, isCurrent, silence, deviceTime, mayWrite } from "./live.js";
import * as units from "./units.js";
import { signIn, exchangeCode } from "./signin.js";
import { icon } from "./icons.js";
import { applyTheme } from "./theme.js";
import { trialBanner } from "./trial.js";
import { isCollector, isFleet } from "./collector.js";

const SCREENS = ["now", "map", "time", "sky", "more"];
const root = document.getElementById("page");
const loaded = {};
let panes = [];
let lastSpoken = { text: "", at: 0 };

/** The route of the address bar: "#/more/settings?group=main" is ["more", "settings"] with parameters. */
function route() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean);
  if (isFleet()) {
    const parameters = new URLSearchParams(search ?? "");
    const device = parameters.get("device");
    return { parts: parts[0] === "map" && device !== null ? ["map", device] : ["fleet"], parameters };
  }
  if (isCollector()) return { parts: ["map"], parameters: new URLSearchParams(search ?? "") };
  return { parts: SCREENS.includes(parts[0]) ? parts : ["now"], parameters: new URLSearchParams(search ?? "") };
}

const isWide = () => window.matchMedia("(min-width: 1400px)").matches;

async function load(name) {
  loaded[name] ??= await import(`./${name}.js`);
  return loaded[name];
}

let generation = 0;
async function navigate() {
  const mine = ++generation;
  const { parts, parameters } = route();
  const isPair = isWide() && !isCollector() && ["map", "time"].includes(parts[0]);
  const names = isPair ? ["map", "time"] : [parts[0]];
  const modules = await Promise.all(names.map(load));
  if (mine !== generation) return;
  const kept = new Map(panes.map((pane) => [pane.key, pane]));
  panes = names.map((name, index) => {
    const key = name === "more" || isFleet() ? parts.join("/") : name;
    const old = kept.get(key);
    kept.delete(key);
    if (old) {
      old.screen.navigate?.(parts.slice(1), parameters);
      return old;
    }
    const body = h("section", { class: `screen ${name}`, "data-key": key, "data-own": "",
      "aria-label": T.screens[name] });
    return { key, name, body, screen: modules[index].open(body, parts.slice(1), parameters) };
  });
  for (const pane of kept.values()) pane.screen.close?.();
  draw();
  const main = document.getElementById("main");
  const bodies = panes.map((pane) => pane.body);
  if (bodies.length !== main.children.length || bodies.some((body, index) => main.children[index] !== body)) {
    main.replaceChildren(...bodies);
    window.scrollTo(0, 0);
  }
  update();
}

/** Draws the shell. */
function draw() {
  if (live.link === "signed-out") {
    panes.forEach((pane) => pane.screen.close?.());
    panes = [];
    return show(root, h("main", { class: "alone", "data-key": "sign-in" }, signIn(begin)));
  }
  const current = route().parts[0];
  show(root,
    h("a", { class: "skip", href: "#main", onclick: skip }, T.skip),
    header(),
    h("div", { class: "banners", "data-key": "banners" }, banner(), trialBanner()),
    h("main", { id: "main", class: panes.length > 1 ? "pair" : "", tabindex: "-1", "data-own": "",
      "data-key": "main" }),
    isCollector() ? null : h("nav", { class: "bar", "aria-label": T.navigation, "data-key": "bar" },
      SCREENS.map((name) => h("a", { href: `#/${name}`, "aria-current": name === current ? "page" : null },
        icon(name), T.screens[name]))),
    h("p", { class: "spoken", role: "status", "aria-live": "polite" }, spoken()),
    h("div", { "data-key": "dialogs", "data-own": "" }));
}

function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

/** The title without a device that names itself. */
function title() {
  if (isFleet()) return route().parts[1] ?? T.fleet.title;
  return isCollector() ? T.collector.title : T.device;
}

function header() {
  const { battery, device_id: device } = live.status ?? {};
  const percent = battery?.percent;
  const link = live.link === "live" && silence() !== null ? "lost" : live.link;
  return h("header", { class: "top", "data-key": "top" },
    h("h1", null, device || title()),
    isCollector() ? null : h("span", { class: `link ${link}` }, s("svg", { viewBox: "0 0 12 12",
      "aria-hidden": "true" },
      link === "live" ? s("circle", { cx: 6, cy: 6, r: 5 }) : s("circle", { cx: 6, cy: 6, r: 4, class: "hollow" })),
      T.link[link] ?? link),
    percent === undefined ? null : h("span", { class: percent < 15 ? "charge low" : "charge" },
      s("svg", { viewBox: "0 0 14 20", role: "img", "aria-label": T.battery },
        s("rect", { x: 4, y: 0, width: 6, height: 3 }), s("rect", { x: 1.5, y: 3.5, width: 11, height: 15,
          class: "case" }),
        s("rect", { x: 3, y: 17 - 12 * (percent / 100), width: 8, height: 12 * (percent / 100) })),
      battery.state === "charging" ? "⚡︎" : "", `${Math.round(percent)} %`));
}

function banner() {
  const seconds = silence();
  const { link, closing, retryAt } = live;
  const until = units.instant(closing?.until);
  const late = until !== null && deviceTime() !== null && deviceTime() > until;
  if (link === "asleep") {
    const when = until === null ? T.banner.asleep : T.banner.asleepUntil(units.hour(until));
    return line("asleep", late ? T.banner.overdue(units.hour(until)) : when);
  }
  if (closing && isCurrent()) return line("asleep", T.banner.closing(closing.reason));
  if (link === "ended") return line("fault", T.banner.ended);
  if (link === "polled" && mayWrite()) return line("note", T.banner.polled);
  if (seconds === null) return null;
  const retry = retryAt === null ? null : Math.max(0, Math.ceil(retryAt - performance.now() / 1000));
  return line("fault", T.banner.lost(units.duration(seconds)), retry ? T.banner.retry(retry) : null);
}
const line = (kind, ...texts) => h("p", { class: `banner ${kind}` }, icon(kind),
  h("span", null, texts.filter(Boolean).join(" ")));

/** What a screen reader hears: the receiver's state, at most once in ten seconds. */
function spoken() {
  const text = live.link === "live" ? T.state[live.status?.tracker?.state]?.name ?? "" : T.link[live.link] ?? "";
  if (text !== lastSpoken.text && performance.now() - lastSpoken.at > 10000) lastSpoken = { text,
    at: performance.now() };
  return lastSpoken.text;
}

function update() {
  draw();
  if (live.link !== "signed-out") panes.forEach((pane) => pane.screen.update?.());
}

let drawing = false;
listen(() => {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    if (panes.length === 0 && live.link !== "signed-out") navigate();
    else update();
  });
});
setInterval(() => {
  if (document.hidden) return;
  watch();
  update();
}, 1000);

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches?.("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey;
  if (isTyping || isCollector() || document.querySelector("dialog[open]")) return;
  const number = Number(event.key);
  if (number >= 1 && number <= SCREENS.length) location.hash = `#/${SCREENS[number - 1]}`;
  else if (event.key === "?") import("./dialog.js").then(({ explain }) => explain(T.keysTitle, T.keys));
  else if (event.key === "/") location.hash = "#/more/settings?search=1";
  else if (event.key === "s") document.querySelector("[data-act=send]")?.click() ?? (location.hash = "#/now");
  else if (event.key === "t") document.querySelector("[data-act=trip]")?.click() ?? (location.hash = "#/now");
  else return;
  event.preventDefault();
});

async function begin() {
  live.link = "first";
  await start();
  if (live.link !== "signed-out") navigate();
}

window.addEventListener("hashchange", () => (live.link === "signed-out" ? null : navigate()));
window.matchMedia("(min-width: 1400px)").addEventListener("change", () => (live.link === "signed-out" ? null
  : navigate()));
applyTheme();
exchangeCode().finally(begin);
