// Icons as paths on a grid of 24. They are decoration; their text stands beside them.
import { s } from "./dom.js";

const PATHS = {
  now: "M12 3a9 9 0 1 0 9 9M12 12l6-6M14.5 6H18v3.5",
  map: "M9 4 3 6.5v13L9 17l6 3 6-2.5v-13L15 7 9 4zM9 4v13M15 7v13",
  time: "M3 6h11M3 12h5M11 12h10M3 18h8M14 18h7M17 6h4",
  sky: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 1.5v3M12 19.5v3M1.5 12h3M19.5 12h3",
  more: "M4 7h16M4 12h16M4 17h16",
  fault: "M12 3.5 2.5 20h19L12 3.5zM12 10v4.5M12 17v.6",
  warning: "M12 3.5 2.5 20h19L12 3.5zM12 10v4.5M12 17v.6",
  note: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5.5M12 7.4v.6",
  asleep: "M20 14.5A8.5 8.5 0 1 1 10 4a7 7 0 0 0 10 10.5z",
  ok: "M4.5 12.5 10 18 19.5 6.5",
  tracking: "M12 3v3M12 18v3M3 12h3M18 12h3M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z",
  settling: "M12 3v3M12 18v3M3 12h3M18 12h3M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z",
  acquiring: "M5 19a14 14 0 0 1 14-14M9 19A10 10 0 0 1 19 9M13 19a6 6 0 0 1 6-6M18 19v.1",
  cyclic: "M4 12a8 8 0 0 1 13.7-5.6L20 8.5M20 4v4.5h-4.5M20 12a8 8 0 0 1-13.7 5.6L4 15.5M4 20v-4.5h4.5",
  off: "M12 3v9M6.5 6.5a8 8 0 1 0 11 0",
  receiver_off: "M12 3v9M6.5 6.5a8 8 0 1 0 11 0",
  no_supply: "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0V8zM12 17v4",
  send: "M12 19V5M6 11l6-6 6 6",
  none: "M4 4l16 16M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  private: "M12 3 5 6v5.5c0 4.5 3 7.7 7 9.5 4-1.8 7-5 7-9.5V6l-7-3zM9 12h6",
  first: "M5 12h.1M12 12h.1M19 12h.1",
  next: "M9 5l7 7-7 7",
  walk: "M13 5.2v.1M12.5 9 10 14l3 2.5V21M10 14l-3 7M12.5 9l3.5 3M9 11.5l3.5-2.5",
  run: "M15 4.6v.1M13 8l-4 1.5-1.5 3M13 8l-2.5 6 4 2 .5 5M13 8l3 3.5h3M10.5 14 8 17.5H4",
  bicycle: "M6 20a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM18 20a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z" +
    "M6 16.5 9.5 9h5L18 16.5M8 12h8M15 6h2.5",
  car: "M4 16v-3.5l2-5.5h12l2 5.5V16zM4 12.5h16M7 16v2.5M17 16v2.5",
  taxi: "M4 17v-3.5l2-4.5h12l2 4.5V17zM4 13.5h16M7 17v2.5M17 17v2.5M10 9V6h4v3",
  bus: "M5 18V5h14v13zM5 12h14M8 18v2.5M16 18v2.5M8 15h.1M16 15h.1",
  tram: "M6 18V7h12v11zM6 13h12M9 7l3-4 3 4M8 21l2-3M16 21l-2-3",
  train: "M6 17V4h12v13zM6 11h12M9 14h.1M15 14h.1M8 21l2-4M16 21l-2-4",
  metro: "M4 19V5l8 10 8-10v14",
  gondola: "M3 6l18-3M12 4.7V9M5 9h14v10H5zM5 14h14",
  monorail: "M4 14V7h13l3 4v3zM4 11h16M3 18h18M10 14v4",
  sleigh: "M5 7v7h13l2-5M4 18h14a3 3 0 0 0 3-3M8 14v4M16 14v4",
  plane: "M11 3h2v6l8 5v2l-8-2.5V18l2.5 2v1.5L12 20.5 8.5 21.5V20L11 18v-4.5L3 16v-2l8-5z",
  boat: "M3 15h18l-3 5H6zM12 15V3l6 9h-6",
  scooter: "M6 20a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM18 20a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z" +
    "M8.5 17.5h7C15.5 13 18 12 18 12L16.5 5H13",
};

/** An icon; an unknown name gives an empty one. */
export const icon = (name) =>
  s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] ?? "" }));
