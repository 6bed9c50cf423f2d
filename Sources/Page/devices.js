// The devices of a collector: their list, the chosen one, and their days.
import { get } from "./api.js";
import { isFleet } from "./collector.js";
import { setZone } from "./units.js";
import { recall } from "./store.js";

const DAY = 86400000;
const MOST_DAYS = 60;

/** Loads one device of a fleet, with the days that have positions. */
async function loadDevice(name) {
  const { zone, ...item } = await get("api/v1/fleet/device", { name });
  setZone(zone);
  return [{ ...item, days: item.days ?? [] }];
}

/**
 * Loads the devices, the one with the newest position first. A device is named by its text; null has no name. In a
 * fleet it is only the one of that name.
 */
export async function loadDevices(name) {
  if (isFleet()) return loadDevice(name);
  const { devices, zone, time } = await get("devices");
  setZone(zone);
  return devices.map((item) => ({ ...item, days: daysOf(item, zone.offset_s * 1000, Date.parse(time)) }));
}

/** The chosen device: the one of the last visit, else the first. */
export function preferred(devices) {
  const last = recall("device");
  return devices.find((item) => keyOf(item) === last) ?? devices[0] ?? null;
}

/** A name for lists: the empty text is also a name. */
export const keyOf = (item) => (item.device === null ? "-" : `=${item.device}`);

/** The last local days, and those before the last position, oldest first. */
function daysOf({ from, to }, shift, now) {
  const numbers = new Set();
  for (const end of [now, to]) {
    const last = Math.floor((end + shift) / DAY);
    for (let day = last; day > last - MOST_DAYS && (day + 1) * DAY > from + shift; day--) numbers.add(day);
  }
  return [...numbers].sort((a, b) => a - b).map((day) => {
    const begin = day * DAY - shift;
    return { day: new Date(day * DAY).toISOString().slice(0, 10), from: begin, to: begin + DAY,
      records: begin <= to ? 1 : 0 };
  });
}
