// Settings on trial: a change that can cut this page off is undone, unless somebody keeps it from the new address.
import { h } from "./dom.js";
import { T } from "./texts.js";
import { icon } from "./icons.js";
import { live, left, mayWrite, takeTrial } from "./live.js";
import * as units from "./units.js";
import { post } from "./api.js";
import { act } from "./dialog.js";

const EVERYWHERE = new Set(["0.0.0.0", "[::]", "::", ""]);

/** The URL of the page at a listening address; null if this page came another way: through ssh or a proxy. */
function movedTo(listen) {
  const [, host, port] = /^(.*):(\d+)$/.exec(listen ?? "") ?? [];
  if (!port || live.access?.needs_sign_in !== true || location.protocol !== "http:") return null;
  const url = `${location.protocol}//${EVERYWHERE.has(host) ? location.hostname : host}:${port}/`;
  return url === `${location.origin}/` ? null : url;
}

/** A line with the time left and Keep, while settings are on trial; else null. */
export function trialBanner() {
  const trial = live.status?.settings_trial;
  if (!trial || !mayWrite()) return null;
  const seconds = Math.ceil(left(trial.goes_back_in_s, "trial"));
  const keep = (event) => act(event, async () => {
    await post("settings/confirm", { id: trial.id });
    takeTrial(null);
  }, T.trial.kept);
  const hasMoved = trial.keys.includes("api.listen");
  const url = hasMoved ? movedTo(trial.listen) : null;
  return h("div", { class: "banner note trial", "data-key": "trial" }, icon("time"),
    h("div", { class: "grow" },
      h("p", null, seconds > 0 ? T.trial.running(trial.keys.join(", "), units.duration(seconds)) : T.trial.over),
      hasMoved ? h("p", null, T.trial.listens(trial.listen ?? T.none), " ",
        url ? h("a", { href: url }, T.trial.open(url)) : null) : null),
    seconds > 0 ? h("button", { onclick: keep }, T.trial.keep) : null);
}
