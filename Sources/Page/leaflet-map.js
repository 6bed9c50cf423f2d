// The map with Leaflet, which Debian's libjs-leaflet provides on the device.
import { T } from "./texts.js";
import * as units from "./units.js";
import { gridLayer } from "./grid.js";
import { colours, lines } from "./track.js";

const TOUCH = 26;
/** The map ends here: Web Mercator has no poles. */
const NORTHERNMOST = 85;
const onMap = (latitude) => Math.max(-NORTHERNMOST, Math.min(NORTHERNMOST, latitude));

async function load() {
  const L = await import("../leaflet/leaflet.esm.min.js").catch(() => import("../leaflet/leaflet-src.esm.js"));
  if (!document.querySelector("link[data-leaflet]")) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: "leaflet/leaflet.css" });
    link.dataset.leaflet = "";
    const isReady = new Promise((resolve) => (link.onload = link.onerror = resolve));
    document.head.append(link);
    await isReady;
  }
  return L;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * Opens a map in `box`. `choose` is called with what was tapped: { point }, { gap }, { visit }, { event }, or { spot }
 * while a distance is measured or a zone is placed.
 *
 * Throws if Leaflet is not installed.
 */
export async function openMap(box, choose, tiles) {
  const L = await load();
  // Without `tap: false` clicks fail in Safari. Marker images are not used.
  const map = L.map(box, { tap: false, preferCanvas: true, attributionControl: false, zoomControl: false, maxZoom: 20,
    worldCopyJump: false, zoomAnimation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      fadeAnimation: false });
  L.control.zoom({ position: "topright", zoomInTitle: T.map.zoomIn, zoomOutTitle: T.map.zoomOut }).addTo(map);
  const isMetric = units.UNITS[units.unitName()].large[0] === 1000;
  L.control.scale({ metric: true, imperial: !isMetric, position: "bottomleft" }).addTo(map);
  const shown = L.layerGroup().addTo(map);
  const marks = L.layerGroup().addTo(map);
  let grid = null;
  let origin = null;
  let showsGrid = !tiles?.url;
  let state = { points: [], measured: null };
  let layer = null;
  map.setView([20, 0], 2);

  /** Tiles are never loaded in advance: a server learns only what is looked at, and nothing before the first view. */
  function addTiles() {
    if (layer || !tiles?.url || !map.getPane("mapPane")) return;
    const [west, south, east, north] = tiles.bounds ?? [];
    layer = L.tileLayer(tiles.url, { maxZoom: 20, maxNativeZoom: tiles.maxZoom, minNativeZoom: tiles.minZoom ?? 0,
      bounds: tiles.bounds ? [[south, west], [north, east]] : undefined, keepBuffer: 0, zIndex: 2 }).addTo(map);
    const credit = L.control.attribution({ prefix: false });
    if (tiles.attribution) credit.addAttribution(escape(tiles.attribution)).addTo(map);
    layer.once("tileerror", () => {
      showsGrid = true;
      setOrigin(origin ?? map.getCenter());
      tiles.failed();
    });
  }

  /** The grid lies beneath the tiles, and fades in when the first of them fails. */
  function setOrigin(centre) {
    origin = [onMap(centre.lat ?? centre[0]), centre.lng ?? centre[1]];
    if (!showsGrid) return;
    grid?.remove();
    grid = gridLayer(L, origin).addTo(map);
    if (tiles?.url) grid.getContainer().classList.add("fades-in");
  }

  map.on("click", (event) => {
    if (state.measured || state.isPlacing) return choose({ spot: [event.latlng.lat, event.latlng.lng] });
    const found = nearest(event.containerPoint);
    if (found) choose(found);
  });

  /** What is under a tap: a point of the track, else a gap. */
  function nearest(tap) {
    let best = { far: TOUCH, item: null };
    const bounds = map.getBounds().pad(0.1);
    for (const point of state.points) {
      if (!bounds.contains([point.latitude, point.longitude])) continue;
      const far = map.latLngToContainerPoint([point.latitude, point.longitude]).distanceTo(tap);
      if (far < best.far) best = { far, item: { point } };
    }
    for (const gap of state.gaps ?? []) {
      if (!gap.hasLine) continue;
      const [a, b] = gap.ends.map((end) => map.latLngToContainerPoint(end));
      const far = L.LineUtil.pointToSegmentDistance(tap, a, b);
      if (far < best.far - 4) best = { far, item: { gap } };
    }
    return best.item;
  }

  const label = (spot, text, kind, action) => L.marker(spot, { keyboard: true, title: text, alt: text,
    icon: L.divIcon({ className: `pin ${kind}`, iconSize: [44, 44], html: "" }) }).on("click", action).addTo(shown);

  return {
    /** Draws a track, coloured by a key. */
    draw(track, list, key, zones) {
      shown.clearLayers();
      state = { ...state, points: list.flat(), gaps: track.gaps };
      const first = track.points.at(-1);
      queueMicrotask(addTiles);
      if (first) setOrigin([first.latitude, first.longitude]);
      else if (!origin) setOrigin(map.getCenter());
      const { step } = colours(track, key);
      for (const zone of zones) zoneShape(zone)?.addTo(shown);
      for (const gap of track.gaps) {
        if (!gap.hasLine) continue;
        L.polyline(gap.ends, { color: colour("--quiet"), weight: 3, dashArray: "3 9",
          interactive: false }).addTo(shown);
      }
      lines(list, step).forEach((line, index) => {
        const style = { color: colour(`--ramp${index}`), weight: 3.5 + index * 0.5, interactive: false,
          smoothFactor: 0.7 };
        L.polyline(line, style).addTo(shown);
      });
      if (state.points.length <= 400) {
        for (const point of state.points) {
          L.circleMarker([point.latitude, point.longitude], { radius: 3.5, color: colour(`--ramp${step(point)}`),
            weight: 2,
            fillColor: colour("--card"), fillOpacity: 1, interactive: false }).addTo(shown);
        }
      }
      for (const gap of track.gaps) if (gap.spot && !gap.hasLine) label(gap.spot,
        T.map.gapTitle(units.lasted(gap)), "gap", () => choose({ gap }));
      for (const visit of track.visits) if (visit.spot) label(visit.spot, T.map.visit, "visit",
        () => choose({ visit }));
      for (const event of track.events) if (event.spot) label(event.spot, event.text ?? event.kind, "event",
        () => choose({ event }));
    },
    /** Draws the last positions of many devices by their state, silent ones on top. */
    drawDevices(devices) {
      shown.clearLayers();
      state = { ...state, points: devices, gaps: [] };
      if (devices.length && !origin) setOrigin([devices[0].latitude, devices[0].longitude]);
      else if (!origin) setOrigin(map.getCenter());
      const looks = deviceLooks();
      for (const item of [...devices].reverse()) {
        L.circleMarker([item.latitude, item.longitude], looks[item.state] ?? looks.never).addTo(shown);
      }
    },
    fit(list, padding = 0.1) {
      const spots = list.flat().map((point) => [onMap(point.latitude), point.longitude]);
      if (spots.length === 0) return;
      if (spots.length === 1) return void map.setView(spots[0], 17);
      map.fitBounds(L.latLngBounds(spots).pad(padding), { maxZoom: 17 });
    },
    zoomTo(spot, zoom) {
      if (state.points.length === 0) setOrigin(spot);
      map.setView(spot, zoom ?? Math.max(15, map.getZoom()));
    },
    pan: (spot) => map.panTo(spot),
    /** The present position with its accuracy, and the chosen point. */
    mark(here, chosen, measured, zone) {
      marks.clearLayers();
      Object.assign(state, { measured, isPlacing: Boolean(zone) });
      if (zone?.shape) zoneShape(zone.shape)?.addTo(marks);
      if (here) {
        const spot = [here.latitude, here.longitude];
        if (here.accuracy > 0) L.circle(spot, { radius: here.accuracy, color: colour("--accent"), weight: 1,
          interactive: false }).addTo(marks);
        L.circleMarker(spot, { radius: 8, color: colour("--card"), weight: 3, fillColor: colour("--accent"),
          fillOpacity: 1, interactive: false })
          .addTo(marks);
      }
      if (chosen) {
        L.circleMarker(chosen, { radius: 11, color: colour("--ink"), weight: 3, fill: false,
          interactive: false }).addTo(marks);
      }
      if (measured?.length) L.polyline(measured, { color: colour("--ink"), weight: 2, dashArray: "1 6",
        interactive: false }).addTo(marks);
    },
    close() {
      // Leaflet ends a zoom in progress 250 ms later, on a map that is gone.
      map._animatingZoom = false;
      map.remove();
    },
  };

  /** The states differ in size and filling, too. */
  function deviceLooks() {
    const hollow = { weight: 2.5, fillColor: colour("--card"), fillOpacity: 1, interactive: false };
    const quiet = { ...hollow, radius: 4, color: colour("--quiet") };
    return {
      silent: { radius: 8, weight: 3, color: colour("--card"), fillColor: colour("--fault"), fillOpacity: 1,
        interactive: false },
      due: { ...hollow, radius: 6.5, color: colour("--search") },
      ok: { radius: 5, weight: 1, color: colour("--card"), fillColor: colour("--accent"), fillOpacity: 1,
        interactive: false },
      never: quiet, disabled: quiet,
    };
  }

  function zoneShape(zone) {
    const style = { color: colour(zone.isPrivate ? "--fault" : "--sleep"), weight: 2, dashArray: zone.isPrivate
      ? "2 5" : null, fillOpacity: 0.08,
      interactive: false };
    if (zone.isWifi) return L.circleMarker([zone.latitude, zone.longitude], { ...style, radius: 9 });
    if (zone.polygon?.length > 2) return L.polygon(zone.polygon, style);
    if (typeof zone.latitude !== "number" || typeof zone.longitude !== "number") return null;
    return L.circle([zone.latitude, zone.longitude], { ...style, radius: zone.radius_m });
  }
}

/** Leaflet shows an attribution as markup; ours is text. */
const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
