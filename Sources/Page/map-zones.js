// Zones on the map: those of the settings, and a form that makes a new one at a place.
import { h } from "./dom.js";
import { T } from "./texts.js";
import { live } from "./live.js";
import * as units from "./units.js";
import { get, patchSettings } from "./api.js";
import { ask, act, tell } from "./dialog.js";
import { field, select } from "./parts.js";

/** The lists of the settings that hold zones. */
const LISTS = Object.keys(T.zones.kinds);
const DEFAULT_RADIUS = 100;

/** Zones of the settings as shapes; a radius is a text such as "150m". A Wi-Fi zone is a point. */
export function zonesOf(settings) {
  const rows = new Map((settings?.settings ?? []).map((item) => [item.key, item]));
  return LISTS.flatMap((list) => {
    const { value, origin } = rows.get(list) ?? {};
    return (Array.isArray(value) ? value : []).map((zone) => {
      const match = /^([\d.]+)\s*(m|km)?$/.exec(String(zone.radius ?? ""));
      const polygon = zone.polygon?.map((corner) => (Array.isArray(corner) ? corner : [corner.latitude,
        corner.longitude]));
      return { ...zone, list, origin, polygon, isPrivate: list === "privacy_zones", isWifi: list === "wifi_zones",
        radius_m: match ? Number(match[1]) * (match[2] === "km" ? 1000 : 1) : DEFAULT_RADIUS };
    });
  });
}

/** A new zone before its place is known. */
export const newZone = () => ({ list: "zones", name: "", radius: String(DEFAULT_RADIUS), ssid: "", spot: null,
  errors: [] });

/** The shape of a new zone for the map; null without a place. */
export const previewOf = (zone) => (zone?.spot ? { latitude: zone.spot[0], longitude: zone.spot[1],
  radius_m: Number(zone.radius) || DEFAULT_RADIUS, isPrivate: zone.list === "privacy_zones",
  isWifi: zone.list === "wifi_zones" } : null);

/** The member of the list, as in a file. */
function member(zone) {
  const [latitude, longitude] = zone.spot.map((value) => Number(value.toFixed(6)));
  const place = { name: zone.name.trim(), latitude, longitude };
  return zone.list === "wifi_zones" ? { ...place, ssid: zone.ssid } : { ...place, radius: `${Number(zone.radius)}m` };
}

/** Changes a list of the settings as it is now. `change` returns the new list. */
async function changeList(list, change) {
  const { settings } = await get("settings");
  const row = settings.find((item) => item.key === list);
  if (row?.origin === "--set") throw Object.assign(new Error(T.settings.fixedText), { detail: T.settings.fixedText });
  return patchSettings({ [list]: change(Array.isArray(row?.value) ? row.value : []) });
}

async function save(zone, done, update) {
  const problem = !zone.name.trim() ? T.zones.noName : !(Number(zone.radius) >= 1) ? T.zones.noRadius
    : zone.list === "wifi_zones" && !zone.ssid ? T.zones.noNetwork : null;
  if (problem) {
    zone.errors = [problem];
    return update();
  }
  if (zone.list === "privacy_zones" && !(await ask(T.zones.privateTitle(zone.name), T.zones.privateText,
    [[true, T.zones.save, "danger"]]))) return;
  try {
    await changeList(zone.list, (known) => [...known, member(zone)]);
    tell(T.zones.saved(zone.name));
    done();
  } catch (failure) {
    zone.errors = failure.errors?.length ? failure.errors : [failure.detail];
    update();
  }
}

async function remove(zone, done) {
  const choice = await ask(T.zones.removeTitle(zone.name), T.zones.removeText[zone.list],
    [[true, T.zones.remove, "danger"]]);
  if (!choice) return;
  const without = (known) => known.filter((one) => one.name !== zone.name);
  const result = await act(null, () => changeList(zone.list, without), T.zones.removed(zone.name));
  if (result) done();
}

/**
 * The form of a new zone and the list of the present ones. `here` is the present position or null. `done` is called
 * after a change, `close` without one, and `place` with a new place.
 */
export function zoneCard(zone, zones, here, { done, close, update, place }) {
  const input = (name, label, props) => field(label,
    h("input", { value: zone[name], autocomplete: "off", spellcheck: "false", ...props,
      onchange: (event) => (Object.assign(zone, { [name]: event.target.value, errors: [] }), update()) }));
  const isWifi = zone.list === "wifi_zones";
  return h("div", { class: "card zones", "data-key": "zones" },
    h("h2", null, T.zones.title),
    h("p", { role: "status" }, zone.spot ? T.zones.at(units.coordinates(...zone.spot)) : T.zones.tap, " ",
      here ? h("button", { onclick: () => place([here.latitude, here.longitude]) }, T.zones.here) : null),
    h("div", { class: "form" },
      select(T.zones.kind, zone.list, Object.entries(T.zones.kinds), (list) => {
        zone.list = list;
        if (list === "wifi_zones") zone.ssid ||= live.status?.ssid ?? "";
        update();
      }),
      input("name", T.zones.name),
      isWifi ? input("ssid", zone.ssid && zone.ssid === live.status?.ssid ? T.zones.joined : T.zones.ssid)
        : input("radius", T.zones.radius, { type: "number", min: "1", max: "1000000", inputmode: "numeric" })),
    h("p", { class: "quiet" }, T.zones.texts[zone.list]),
    zone.errors.map((text) => h("p", { class: "mark fault", role: "alert" }, text)),
    h("div", { class: "actions" },
      h("button", { class: "primary", disabled: !zone.spot, onclick: () => save(zone, done, update) }, T.zones.save),
      h("button", { onclick: close }, T.cancel)),
    zones.length ? h("ul", { class: "list" }, zones.map((one) => h("li", { class: "padded row" },
      h("span", { class: "grow" }, h("strong", null, one.name), ` · ${T.zones.kinds[one.list]}`,
        one.polygon || one.isWifi ? "" : ` · ${units.length(one.radius_m)}`),
      h("button", { class: "plain", "aria-label": `${T.zones.remove}: ${one.name}`,
        onclick: () => remove(one, done) }, T.zones.remove)))) : null);
}
