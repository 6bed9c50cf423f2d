// The modes of `outrider collect` and of `outrider-collector`: only the map, of one of several devices.
import { live } from "./live.js";

/** The answer of `GET /access` decides the mode of the whole page. */
export const isFleet = () => live.access?.serves === "fleet";
export const isCollector = () => live.access?.serves === "collector" || isFleet();
