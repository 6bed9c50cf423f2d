// The track of a period: loads it page by page, decodes the columns, and gives colours and paths.
import { get } from "./api.js";
import { T } from "./texts.js";
import { isFleet } from "./collector.js";
import * as units from "./units.js";

const PAGE = 5000;
export const MOST = 20000;
/** The simplification in metres for periods up to this many hours: none for short ones, so that charts are complete. */
const RESOLUTIONS = [[6, 0], [36, 2], [100, 5], [Infinity, 20]];
const DIFFERENCES = ["id", "t", "lat", "lon", "alt"];
const NAMES = [...DIFFERENCES, "spd", "crs", "acc", "mot", "fix", "kept", "bat"];

/** The points of a chunk. The first five columns are a first value and then differences; null is unknown. */
export function decode(chunk) {
  const length = chunk.t?.length ?? 0;
  const last = {};
  const points = [];
  for (let index = 0; index < length; index++) {
    const point = {};
    for (const name of NAMES) {
      const value = chunk[name]?.[index] ?? null;
      if (value === null || !DIFFERENCES.includes(name)) point[name] = value;
      else point[name] = last[name] = (last[name] ?? 0) + value;
    }
    points.push(point);
  }
  return points;
}

const degrees = (value) => value / 1e7;

/**
 * Loads a period, from a collector that of a device. `progress` is called with the number of points so far; `before` is
 * a track to continue.
 */
export async function loadTrack(from, to, progress, signal, before, device) {
  const resolution = RESOLUTIONS.find(([hours]) => to - from <= hours * 3600000)[1];
  const track = before ?? { points: [], gaps: [], visits: [], trips: [], events: [], undated: 0, next: null };
  const most = track.points.length + MOST;
  do {
    const after = track.next ?? undefined;
    const answer = await get(isFleet() ? "api/v1/fleet/track" : "track",
      { from, to, resolution_m: resolution, limit: PAGE, after, device }, signal);
    for (const chunk of answer.points ?? []) track.points.push(...decode(chunk));
    for (const name of ["gaps", "visits", "trips", "events"]) {
      const known = new Set(track[name].map((item) => item.id ?? item.from));
      track[name].push(...(answer[name] ?? []).filter((item) => !known.has(item.id ?? item.from)));
    }
    track.undated = Math.max(track.undated, answer.undated ?? 0);
    Object.assign(track, { motions: answer.motions ?? [], fixes: answer.fixes ?? [], reasons: answer.reasons ?? [] });
    track.next = answer.next ?? null;
    progress(track.points.length);
  } while (track.next !== null && track.points.length < most);
  place(track);
  return track;
}

/** Degrees for drawing. Longitudes continue over the date line, so that a track across it stays whole. */
function place(track) {
  let shift = 0;
  let last = null;
  const follow = (value) => {
    const longitude = degrees(value);
    if (last !== null && longitude + shift - last > 180) shift -= 360;
    if (last !== null && longitude + shift - last < -180) shift += 360;
    last = longitude + shift;
    return last;
  };
  for (const point of track.points) {
    point.latitude = degrees(point.lat);
    point.longitude = follow(point.lon);
  }
  const near = (value) => {
    const longitude = degrees(value);
    return last === null ? longitude : longitude + 360 * Math.round((last - longitude) / 360);
  };
  const spot = (latitude, longitude) => (typeof latitude === "number" ? [degrees(latitude), near(longitude)] : null);
  // A gap has no position at an end in a privacy zone, and none at its second end while it continues.
  for (const gap of track.gaps) {
    gap.ends = [spot(gap.lat_from, gap.lon_from), spot(gap.lat_to, gap.lon_to)];
    gap.spot = gap.ends[0] ?? gap.ends[1];
    gap.hasLine = gap.ends.every(Boolean);
  }
  for (const item of [...track.visits, ...track.events]) item.spot = spot(item.lat, item.lon);
}

/** The length of paths in metres. */
export const lengthOf = (list) => list.reduce((sum, path) => sum + path.slice(1).reduce((part, point, index) =>
  part + distance([path[index].latitude, path[index].longitude], [point.latitude, point.longitude]), 0), 0);

/**
 * The paths between gaps. Those with fewer than `least` points, or metres, are left out, unless nothing else is left.
 */
export function paths(track, least, unit) {
  const found = [];
  let path = [];
  const gaps = [...track.gaps].sort((a, b) => a.from - b.from);
  let gap = 0;
  for (const point of track.points) {
    while (gap < gaps.length && gaps[gap].to <= (path.at(-1)?.t ?? point.t)) gap++;
    const isAfterGap = path.length > 0 && gap < gaps.length && gaps[gap].from < point.t && gaps[gap].to > path.at(-1).t;
    if (isAfterGap) {
      found.push(path);
      path = [];
    }
    path.push(point);
  }
  if (path.length) found.push(path);
  const long = found.filter((item) => (unit === "metres" ? lengthOf([item]) : item.length) >= least);
  return long.length ? long : found;
}

const RAMP = 6;
const round = (value) => (value >= 100 ? Math.round(value / 10) * 10 : value >= 10 ? Math.round(value)
  : Math.round(value * 10) / 10);

/** Value of a point in the unit that is shown, by key. */
const VALUES = {
  speed: [(point) => point.spd === null ? null : (point.spd / 100) * units.UNITS[units.unitName()].speed,
    () => units.UNITS[units.unitName()].unit],
  accuracy: [(point) => point.acc === null ? null : point.acc / 10, () => "m"],
  altitude: [(point) => point.alt === null ? null : point.alt / 10, () => "m"],
  battery: [(point) => point.bat, () => "%"],
  time: [(point) => point.t, () => ""],
};
export const valueOf = (key, point) => VALUES[key]?.[0](point) ?? null;
export const unitOf = (key) => VALUES[key]?.[1]() ?? "";

/** The colours by a key: the step 0…5 of a point, and a legend in figures. */
export function colours(track, key) {
  if (key === "motion") return named(track.motions, (point) => point.mot, (name) => T.motion[name] ?? name);
  if (key === "kept") return named(track.reasons, (point) => point.kept, (name) => T.map.reasons[name] ?? name);
  const values = track.points.map((point) => valueOf(key, point)).filter((value) => value !== null);
  if (values.length === 0) return { step: () => 0, legend: [] };
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  if (key !== "time" && key !== "altitude") least = Math.min(0, least);
  const width = (most - least) / RAMP || 1;
  const step = (point) => {
    const value = valueOf(key, point);
    return value === null ? 0 : Math.max(0, Math.min(RAMP - 1, Math.floor((value - least) / width)));
  };
  const text = (index) => (key === "time" ? units.hour(least + index * width)
    : `${round(least + index * width)}–${round(least + (index + 1) * width)} ${unitOf(key)}`);
  return { step, legend: Array.from({ length: RAMP }, (_, index) => [index, text(index)]) };
}

function named(names, index, text) {
  return { step: (point) => (index(point) ?? 0) % RAMP, legend: names.map((name, at) => [at % RAMP, text(name)]) };
}

/** The lines of one colour step: lists of positions. A line continues to the first point of the next colour. */
export function lines(list, step) {
  const found = Array.from({ length: RAMP }, () => []);
  for (const path of list) {
    let current = null;
    let line = null;
    path.forEach((point, index) => {
      const now = step(point);
      if (now !== current) {
        line?.push([point.latitude, point.longitude]);
        line = [];
        found[now].push(line);
        current = now;
      }
      line.push([point.latitude, point.longitude]);
      if (index === path.length - 1 && line.length === 1) line.push([point.latitude, point.longitude]);
    });
  }
  return found;
}

/** The distance of two points in metres. */
export function distance([latitude1, longitude1], [latitude2, longitude2]) {
  const rad = Math.PI / 180;
  const x = (longitude2 - longitude1) * rad * Math.cos(((latitude1 + latitude2) / 2) * rad);
  const y = (latitude2 - latitude1) * rad;
  return Math.hypot(x, y) * 6371008.8;
}

/** The point nearest to a time, by bisection; null without points. */
export function pointAt(points, time) {
  let [low, high] = [0, points.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle].t < time) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [points[low - 1], points[low]];
  if (!after) return before ?? null;
  return before && time - before.t < after.t - time ? before : after;
}
