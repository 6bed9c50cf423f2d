// Parts that several screens are made of.
import { h } from "./dom.js";
import { T } from "./texts.js";

/** A card. The title is a text, or a list of a text and elements. */
export const card = (key, title, ...children) =>
  h("div", { class: "card", "data-key": key }, h("h2", null, title), children);

/** A label above its value. */
export const pair = (label, value, kind) =>
  h("div", { class: `pair ${kind ?? ""}` }, h("span", { class: "label" }, label), h("span", { class: "value" }, value));
export const pairs = (...list) => h("div", { class: "pairs" }, list);

/** A control below its label. */
export const field = (label, control) => h("label", { class: "field" }, h("span", { class: "label" }, label), control);

/** A choice among [value, text]. */
export const select = (label, value, options, choose) => field(label,
  h("select", { value, onchange: (event) => choose(event.target.value) },
    options.map(([key, text]) => h("option", { value: key }, text))));

/** A table, which scrolls sideways if it is wide. */
export const table = (label, columns, rows) =>
  h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, h("table", null,
    h("thead", null, h("tr", null, columns.map((name) => h("th", { scope: "col" }, name)))), h("tbody", null, rows)));

/** Why something was not loaded, with another attempt. */
export const failure = (problem, retry) => (problem ? h("p", { class: "card fault", role: "alert" },
  T.failed(problem), " ", h("button", { onclick: retry }, T.retry)) : null);

export const loading = () => h("p", { class: "card" }, T.loading);

/** Links to the files of a period, from and to in milliseconds; `first` is an action before them. */
export const downloads = (period, first) => h("div", { class: "actions" }, first,
  Object.entries(T.formats).map(([kind, name]) =>
    h("a", { class: "button", download: "", href: `export.${kind}?${new URLSearchParams(period)}` }, name)));
