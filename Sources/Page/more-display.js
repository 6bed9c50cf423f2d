// Display: units and theme. Both stay in this browser.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import * as units from "./units.js";
import { recall, remember } from "./store.js";
import { applyTheme } from "./theme.js";

export function open(root) {
  const choice = (name, title, value, options, action) => h("fieldset", { class: "card", "data-key": name },
    h("legend", null, title),
    options.map(([key, text]) => h("label", { class: "row" },
      h("input", { type: "radio", name, value: key, checked: key === value,
      onchange: () => (action(key), update()) }), text)));
  function update() {
    show(root,
      choice("theme", T.display.theme, recall("theme") ?? "auto", Object.entries(T.display.themes), (value) => {
        remember("theme", value);
        applyTheme();
      }),
      choice("units", T.display.units, units.unitName(), Object.entries(T.display.unitNames), units.chooseUnits));
  }
  update();
  return {};
}
