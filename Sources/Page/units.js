// Figures for people: units, durations, times in the device's zone. Unknown is a dash.
import { recall, remember } from "./store.js";

export const DASH = "–";
const grouped = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** The units a person can choose; kept in the browser only. */
export const UNITS = {
  kmh: { speed: 3.6, unit: "km/h", small: [1, "m"], large: [1000, "km"] },
  mph: { speed: 2.2369363, unit: "mph", small: [0.3048, "ft"], large: [1609.344, "mi"] },
  kn: { speed: 1.9438445, unit: "kn", small: [0.3048, "ft"], large: [1852, "nmi"] },
  ms: { speed: 1, unit: "m/s", small: [1, "m"], large: [1000, "km"] },
};
let chosen = UNITS[recall("units")] ? recall("units") : "kmh";
export const unitName = () => chosen;
export function chooseUnits(name) {
  chosen = UNITS[name] ? name : "kmh";
  remember("units", chosen);
}

export const count = (value) => (isNumber(value) ? grouped.format(value) : DASH);
export const fixed = (value, digits = 0) => (isNumber(value) ? value.toFixed(digits) : DASH);

/** A speed in m/s as figure and unit. */
export function speed(mps) {
  const { speed: factor, unit } = UNITS[chosen];
  if (!isNumber(mps)) return { figure: DASH, unit };
  const value = mps * factor;
  return { figure: value.toFixed(value < 9.95 ? 1 : 0), unit };
}
export const speedText = (mps) => `${speed(mps).figure} ${speed(mps).unit}`;

/** A length in metres, such as "412 m" or "31.2 km". */
export function length(metres) {
  if (!isNumber(metres)) return DASH;
  const { small, large } = UNITS[chosen];
  if (Math.abs(metres) < large[0]) {
    const value = metres / small[0];
    return `${value.toFixed(Math.abs(value) < 9.95 && value % 1 ? 1 : 0)} ${small[1]}`;
  }
  const value = metres / large[0];
  return `${value < 99.95 ? value.toFixed(1) : grouped.format(value)} ${large[1]}`;
}

/** A duration in seconds, such as "41 s", "12 min", "3 h 5 min", "31 days". */
export function duration(seconds) {
  if (!isNumber(seconds)) return DASH;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 100) return `${whole} s`;
  if (whole < 5940) return `${Math.round(whole / 60)} min`;
  const minutes = Math.round(whole / 60);
  if (minutes < 2880) return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes / 60} h`;
  return `${Math.round(minutes / 1440)} days`;
}

/** The length of something with a begin and an end in milliseconds; unknown while it lasts. */
export const lasted = ({ from, to }) => (isNumber(to) ? duration((to - from) / 1000) : DASH);

/** The duration of a request, such as "3 ms" or "1.2 s". */
export const brief = (seconds) => (seconds < 0.95 ? `${Math.round(seconds * 1000)} ms` : `${fixed(seconds, 1)} s`);

/** A running time, such as "0:42:10". */
export function stopwatch(seconds) {
  if (!isNumber(seconds)) return DASH;
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}
const two = (value) => String(value).padStart(2, "0");

/** A countdown, such as "4:07" or "2:04:07". */
export function countdown(seconds) {
  if (!isNumber(seconds)) return DASH;
  const whole = Math.max(0, Math.ceil(seconds));
  return whole < 3600 ? `${Math.floor(whole / 60)}:${two(whole % 60)}` : stopwatch(whole);
}

export function bytes(value) {
  if (!isNumber(value)) return DASH;
  const names = ["B", "KB", "MB", "GB", "TB"];
  let power = 0;
  let rest = value;
  while (rest >= 1000 && power < names.length - 1) [rest, power] = [rest / 1000, power + 1];
  return `${power && rest < 100 ? rest.toFixed(1) : Math.round(rest)} ${names[power]}`;
}

const WINDS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];
/** The direction of a course in degrees, such as "SW". */
export const wind = (degrees) => (isNumber(degrees) ? WINDS[Math.round(degrees / 45) % 8] : DASH);

export const coordinates = (latitude, longitude, digits = 5) =>
  isNumber(latitude) && isNumber(longitude) ? `${latitude.toFixed(digits)}, ${longitude.toFixed(digits)}` : DASH;

let zone = { name: "UTC", offset_s: 0 };
let isUTC = false;
let formats = {};

/** Takes the device's zone. A zone that the browser does not know is replaced by its offset. */
export function setZone(value) {
  if (!value || (value.name === zone.name && value.offset_s === zone.offset_s)) return;
  zone = value;
  formats = {};
}
export function zoneName() {
  if (isUTC) return "UTC";
  return zone.name || `UTC${zone.offset_s < 0 ? "−" : "+"}${Math.abs(zone.offset_s) / 3600}`;
}
export function toggleUTC() {
  isUTC = !isUTC;
  formats = {};
}

/** The zone's offset from UTC at a time, in milliseconds. */
export function offsetAt(ms) {
  try {
    const local = new Date(ms).toLocaleString("sv", { timeZone: zone.name || "unknown" });
    return Date.parse(`${local.replace(" ", "T")}Z`) - Math.floor(ms / 1000) * 1000;
  } catch {
    return (zone.offset_s ?? 0) * 1000;
  }
}

function format(milliseconds, name, options) {
  if (!isNumber(milliseconds)) return DASH;
  if (!formats[name]) {
    try {
      const timeZone = isUTC ? "UTC" : zone.name || "unknown";
      formats[name] = { format: new Intl.DateTimeFormat("en-GB", { timeZone, hourCycle: "h23", ...options }),
        shift: 0 };
    } catch {
      const shift = (zone.offset_s ?? 0) * 1000;
      formats[name] = { format: new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hourCycle: "h23", ...options }),
        shift };
    }
  }
  return formats[name].format.format(new Date(milliseconds + formats[name].shift));
}

const CLOCK = { hour: "2-digit", minute: "2-digit" };
export const hour = (ms) => format(ms, "hour", CLOCK);
/** A span of time, such as "07:00–07:40"; an open end is given as text. */
export const span = (from, to, open = "") => `${hour(from)}–${to === null || open ? open : hour(to)}`;
export const second = (ms) => format(ms, "second", { ...CLOCK, second: "2-digit" });
export const date = (ms) => format(ms, "date", { day: "numeric", month: "long" });
export const weekday = (ms) => format(ms, "weekday", { weekday: "short", day: "numeric", month: "short" });
export const moment = (ms) => `${weekday(ms)}, ${second(ms)}`;

/** The name of a day such as "2026-03-01", which is already local. */
export const dayName = (day) =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", weekday: "short", day: "numeric", month: "short" })
    .format(new Date(`${day}T12:00:00Z`));

/** Milliseconds of an ISO 8601 text; null if it is none. */
export function instant(text) {
  const value = typeof text === "number" ? text : Date.parse(text ?? "");
  return Number.isFinite(value) ? value : null;
}
