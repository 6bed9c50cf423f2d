// Sign-in with the token of the device, or with the code of `outrider page`.
import { h } from "./dom.js";
import { T } from "./texts.js";
import { post } from "./api.js";
import { live } from "./live.js";
import { duration } from "./units.js";
import { isCollector, isFleet } from "./collector.js";

let message = null;

/** Exchanges the code in the address for a cookie, and removes it from the address bar. */
export async function exchangeCode() {
  const code = /[#&]code=([^&]+)/.exec(location.hash)?.[1];
  if (!code) return;
  history.replaceState(null, "", `${location.pathname}#/now`);
  await post("login", { code: decodeURIComponent(code) }).catch((problem) => (message = problem.detail));
}

/** The form. `done` is called after a success. */
export function signIn(done) {
  const submit = async (event) => {
    event.preventDefault();
    const field = event.target.querySelector("#token");
    const note = event.target.querySelector("[role=alert]");
    note.textContent = T.signIn.busy;
    try {
      await post("login", { token: field.value.trim() });
      message = null;
      field.value = "";
      done();
    } catch (problem) {
      const wait = problem.status === 429 && problem.retryAfter ? ` ${T.signIn.wait(duration(problem.retryAfter))}`
        : "";
      message = problem.status === 401 ? T.signIn.wrong : problem.detail + wait;
      note.textContent = message;
      field.focus();
    }
  };
  return h("form", { class: "card sign-in", onsubmit: submit },
    h("h1", null, T.signIn.title),
    h("p", null, isFleet() ? T.fleet.why : isCollector() ? T.collector.why : T.signIn.why),
    h("input", { type: "text", autocomplete: "username", value: "operator", hidden: true }),
    h("label", { for: "token" }, T.signIn.token),
    h("input", { id: "token", type: "password", autocomplete: "current-password", required: true,
      spellcheck: "false" }),
    h("button", { class: "primary", type: "submit" }, T.signIn.action),
    live.access?.role === "none" ? null : h("button", { type: "button", onclick: done }, T.cancel),
    h("p", { role: "alert", class: "fault" }, message ?? ""),
    isCollector() && !isFleet() ? null : h("p", { class: "quiet" }, isFleet() ? T.fleet.hint : T.signIn.hint, " ",
      h("code", null, isFleet() ? "outrider-collector fleet token read" : "outrider page")));
}
