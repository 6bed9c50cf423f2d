// A setup URL of Overland: shows what it would change, then asks. The device reads it.
import { h } from "./dom.js";
import { T } from "./texts.js";
import { post } from "./api.js";
import { ask, tell } from "./dialog.js";
import { field } from "./parts.js";

/** The card with the field. `done` is called after the change. */
export function setupCard(done) {
  const submit = async (event) => {
    event.preventDefault();
    const field = event.target.querySelector("input");
    const note = event.target.querySelector("[role=alert]");
    note.textContent = "";
    try {
      if (await review(field.value.trim())) {
        field.value = "";
        tell(T.setupURL.applied);
        done();
      }
    } catch (problem) {
      note.textContent = problem.detail ?? String(problem);
    }
  };
  return h("form", { class: "card", "data-key": "setup-url", onsubmit: submit },
    h("h2", null, T.setupURL.title), h("p", { class: "quiet" }, T.setupURL.text),
    field(T.setupURL.label,
      h("input", { class: "secret", autocomplete: "off", spellcheck: "false", placeholder: "overland://setup?…" })),
    h("div", { class: "actions" }, h("button", { type: "submit" }, T.setupURL.review)),
    h("p", { role: "alert", class: "fault" }));
}

/** True after the change. */
async function review(url) {
  const plan = await post("settings/setup", { url });
  const list = (title, rows) => (rows.length ? h("div", null, h("h3", null, title), h("ul", null,
    rows.map((row) => h("li", null, row)))) : null);
  const choice = await ask(T.setupURL.ask, [list(T.setupURL.set, plan.set), list(T.setupURL.cleared, plan.cleared)]
    .filter(Boolean), [[true, T.setupURL.apply, plan.cleared.length ? "danger" : "primary"]]);
  if (!choice) return false;
  return apply(url);
}

async function apply(url, queue) {
  try {
    await post("settings/setup", { url }, { apply: 1, queue });
    return true;
  } catch (problem) {
    if (problem.status !== 409 || queue) throw problem;
    const choice = await ask(T.destinationsPage.queueTitle, [problem.detail, T.destinationsPage.queueText],
      [["keep", T.destinationsPage.keep, "primary"], ["drop", T.destinationsPage.drop, "danger"]]);
    return choice ? apply(url, choice) : false;
  }
}
