// Light, dark, or as the system decides.
import { recall } from "./store.js";

/** Applies the chosen theme; without a choice the system decides. */
export function applyTheme() {
  const theme = recall("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
