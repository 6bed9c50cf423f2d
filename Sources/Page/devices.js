// The devices of a collector: their list, the chosen one, and their days.
import { get } from "./api.js";
import { isFleet } from "./collector.js";
import { offsetAt, setZone } from "./units.js";
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
  return devices.map((item) => ({ ...item, days: daysOf(item, Date.parse(time)) }));
}

/** The chosen device: the one of the last visit, else the first. */
export function preferred(devices) {
  const last = recall("device");
  return devices.find((item) => keyOf(item) === last) ?? devices[0] ?? null;
}

/** A name for lists: the empty text is also a name. */
export const keyOf = (item) => (item.device === null ? "-" : `=${item.device}`);

/** The last local days, and those before the last position, oldest first. */
function daysOf({ from, to }, now) {
  const numbers = new Set();
  for (const end of [now, to]) {
    const last = Math.floor((end + offsetAt(end)) / DAY);
    for (let day = last; day > last - MOST_DAYS && midnight(day + 1) > from; day--) numbers.add(day);
  }
  return [...numbers].sort((a, b) => a - b).map((day) => {
    const begin = midnight(day);
    return { day: new Date(day * DAY).toISOString().slice(0, 10), from: begin, to: midnight(day + 1),
      records: begin <= to ? 1 : 0 };
  });
}

/** The start of a local day; at a change of the clocks it has 23 or 25 hours. */
const midnight = (day) => day * DAY - offsetAt(day * DAY - offsetAt(day * DAY));
