// Questions and explanations. A destructive action asks first and names what it affects.
import { h } from "./dom.js";
import { T } from "./texts.js";

function open(content) {
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, content);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks a question; resolves with the chosen value, or null. `choices` are [value, text, class]. */
export function ask(title, text, choices) {
  return new Promise((resolve) => {
    const choose = (value) => () => {
      dialog.returnValue = "";
      resolve(value);
      dialog.close();
    };
    const dialog = open([
      h("h2", { id: "dialog-title" }, title),
      [text].flat().map((part) => (typeof part === "string" ? h("p", null, part) : part)),
      h("div", { class: "actions" },
        choices.map(([value, name, kind]) => h("button", { class: kind ?? "", autofocus: kind === "primary",
          onclick: choose(value) }, name)),
        h("button", { onclick: choose(null) }, T.cancel)),
    ]);
    dialog.addEventListener("close", () => resolve(null));
  });
}

/** Shows a table of terms and their meaning. */
export function explain(title, rows) {
  const dialog = open([
    h("h2", { id: "dialog-title" }, title),
    h("table", null, h("tbody", null, rows.map(([key, text]) => h("tr", null, h("th", { scope: "row" }, key),
      h("td", null, text))))),
    h("div", { class: "actions" }, h("button", { class: "primary", onclick: () => dialog.close() }, T.close)),
  ]);
}

let hide = null;
/** One line about the result of an action, for some seconds. */
export function tell(text, kind = "note") {
  document.querySelector(".toast")?.remove();
  clearTimeout(hide);
  const toast = h("p", { class: `toast ${kind}`, role: "status" }, text);
  document.body.append(toast);
  hide = setTimeout(() => toast.remove(), kind === "fault" ? 12000 : 5000);
}

/** Runs a request of a button: disables it meanwhile, and shows the result or the problem. */
export async function act(event, action, success) {
  const button = event?.currentTarget;
  if (button) button.disabled = true;
  try {
    const result = await action();
    if (success) tell(typeof success === "function" ? success(result) : success);
    return result;
  } catch (problem) {
    tell(problem.detail ?? String(problem), "fault");
    return null;
  } finally {
    if (button) button.disabled = false;
  }
}

/** Copies a text; without a secure context the text is selected in a dialog instead. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    tell(T.copied(text));
  } catch {
    const field = h("input", { value: text, readonly: "", "aria-label": T.copyByHand });
    ask(T.copyByHand, field, []);
    field.select();
  }
}
