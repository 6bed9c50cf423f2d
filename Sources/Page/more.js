// The More screen: a list of pages, and the frame of each.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { icon } from "./icons.js";
import { mayWrite, mayLocate } from "./live.js";

const PAGES = ["receiver", "energy", "sends", "settings", "destinations", "trips", "events", "device", "display"];
const OPERATOR = new Set(["settings", "destinations"]);
const LOCATED = new Set(["trips"]);

export function open(root, parts, parameters) {
  const name = PAGES.includes(parts[0]) ? parts[0] : null;
  if (name) return openPage(root, name, parts.slice(1), parameters);
  const update = () => show(root,
    h("ul", { class: "menu" }, PAGES.filter((page) => (mayWrite() || !OPERATOR.has(page))
      && (mayLocate() || !LOCATED.has(page)))
      .map((page) => h("li", null, h("a", { href: `#/more/${page}`, class: "card" },
        h("span", { class: "grow" }, h("strong", null, T.more.titles[page]), h("span", { class: "quiet" },
          T.more.texts[page])), icon("next"))))));
  update();
  return { update };
}

function openPage(root, name, parts, parameters) {
  const body = h("div", { class: "page-body", "data-own": "", "data-key": "body" });
  let screen = null;
  let isClosed = false;
  const frame = (note) => show(root,
    h("div", { class: "row head", "data-key": "head" }, h("a", { class: "button plain-link", href: "#/more",
      "aria-label": T.more.back }, "‹ ", T.screens.more),
      h("h2", { class: "grow" }, T.more.titles[name])), note ? h("p", { class: "card", "data-key": "note" }, note)
        : null, body);
  frame(OPERATOR.has(name) && !mayWrite() ? T.guest : null);
  if (!OPERATOR.has(name) || mayWrite()) {
    import(`./more-${name}.js`).then((module) => {
      if (!isClosed) screen = module.open(body, parts, parameters);
    });
  }
  return {
    update: () => screen?.update?.(),
    navigate: (_, changed) => screen?.navigate?.(changed),
    close() {
      isClosed = true;
      screen?.close?.();
    },
  };
}
