// The track as a fitted drawing with a scale bar, if Leaflet is not installed.
import { h, s, show } from "./dom.js";
import { T } from "./texts.js";
import * as units from "./units.js";
import { colours, lines, distance } from "./track.js";

const SIZE = 600;
const MOST_DEVICES = 2000;

/** The same interface as the map with Leaflet. */
export function openPlainMap(box, choose) {
  let drawn = { track: null, list: [], key: "speed", mark: null, devices: null };

  function frame(spots) {
    const latitudes = spots.map((spot) => spot[0]);
    const longitudes = spots.map((spot) => spot[1]);
    const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
    const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
    const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
    const extent = Math.max((east - west) * shrink, north - south, 1e-4) * 1.15;
    const [x0, y0] = [((west + east) / 2) * shrink - extent / 2, (south + north) / 2 + extent / 2];
    return {
      place: ([latitude, longitude]) => [((longitude * shrink - x0) / extent) * SIZE,
        ((y0 - latitude) / extent) * SIZE],
      metres: distance([0, 0], [extent, 0]),
    };
  }

  function render() {
    const points = drawn.list.flat();
    if (points.length === 0) return show(box, h("p", { class: "quiet pad" }, T.map.noLeaflet));
    const step = Math.max(1, Math.floor(points.length / 4000));
    const spots = points.filter((_, index) => index % step === 0 || index === points.length - 1).map((point) =>
      [point.latitude, point.longitude]);
    const { place, metres } = frame(spots);
    const text = (line) => line.map((spot) => place(spot).map((value) => value.toFixed(1)).join(",")).join(" ");
    const bar = [1, 2, 5].flatMap((digit) => [1, 10, 100, 1e3, 1e4, 1e5].map((power) => digit * power))
      .filter((length) => length < metres / 3).sort((a, b) => b - a)[0] ?? 1;
    const { step: colour } = colours(drawn.track, drawn.key);
    show(box,
      s("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "plot plain-map", role: "img",
        "aria-label": T.map.drawing(units.count(points.length)),
        onclick: (event) => tapped(event, points, place) },
      drawn.track.gaps.map((gap) => (gap.hasLine ? s("polyline", { points: text(gap.ends), class: "gap" }) : null)),
      lines(drawn.list, colour).map((found, index) => found.map((line) => s("polyline",
        { points: text(line), class: `ramp${index}` }))),
      drawn.mark ? s("circle", { cx: place(drawn.mark)[0], cy: place(drawn.mark)[1], r: 9, class: "mark" }) : null,
      s("path", { d: `M20 ${SIZE - 22}v8h${((bar / metres) * SIZE).toFixed(1)}v-8`, class: "bar-line" }),
      s("text", { x: 24, y: SIZE - 28 }, units.length(bar))),
      h("p", { class: "quiet pad" }, T.map.noLeaflet));
  }

  function tapped(event, points, place) {
    const area = event.currentTarget.getBoundingClientRect();
    const [x, y] = [((event.clientX - area.left) / area.width) * SIZE,
      ((event.clientY - area.top) / area.height) * SIZE];
    let best = [30, null];
    for (const point of points) {
      const [px, py] = place([point.latitude, point.longitude]);
      const far = Math.hypot(px - x, py - y);
      if (far < best[0]) best = [far, point];
    }
    if (best[1]) choose({ point: best[1] });
  }

  /** The positions of devices; of very many every n-th, with the silent ones. */
  function renderDevices() {
    const step = Math.max(1, Math.floor(drawn.devices.length / MOST_DEVICES));
    const some = drawn.devices.filter((item, index) => item.state === "silent" || index % step === 0);
    if (some.length === 0) return show(box, h("p", { class: "quiet pad" }, T.map.noLeafletHere));
    const { place } = frame(some.map((item) => [item.latitude, item.longitude]));
    const dot = (spot, kind, r) => s("circle", { cx: place(spot)[0].toFixed(1), cy: place(spot)[1].toFixed(1), r,
      class: kind });
    show(box,
      s("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "plot plain-map", role: "img",
        "aria-label": T.map.devices(units.count(some.length)), onclick: (event) => tapped(event, some, place) },
      [...some].reverse().map((item) => dot([item.latitude, item.longitude], `dot ${item.state}`,
        item.state === "silent" ? 9 : 6)),
      drawn.mark ? dot(drawn.mark, "mark", 13) : null),
      h("p", { class: "quiet pad" }, T.map.noLeafletHere));
  }

  const nothing = () => {};
  return {
    drawDevices(devices) {
      drawn = { ...drawn, devices };
      renderDevices();
    },
    draw(track, list, key) {
      drawn = { ...drawn, track, list, key };
      render();
    },
    mark(here, chosen) {
      drawn.mark = chosen;
      if (drawn.devices) renderDevices();
      else if (drawn.track) render();
    },
    fit: nothing, zoomTo: nothing, pan: nothing, close: nothing,
  };
}
