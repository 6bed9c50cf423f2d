// Texts of the pages of a fleet, which the logger does not show.
import { plural } from "./texts-more.js";

export const FLEET = {
  byState: "Devices by state", search: "Search by name", cohort: "Cohort", devices: "Devices", open: "Open the day",
  states: { silent: "silent", due: "due", ok: "ok", never: "never seen", disabled: "disabled" },
  signOut: "Sign out", back: "All devices", previous: "Previous", next: "Next",
  range: (from, to, total) => `${from}–${to} of ${total}`, empty: "No device is enrolled yet.",
  noMatch: "No device matches. Choose another state, cohort or name.", noPosition: "no position",
  mapped: (count) => `${plural(count, "position", "positions")} on the map.`,
  notMapped: (count) => `${count} more are not drawn: choose a state, a cohort or a name.`,
  seen: (age) => `last contact ${age} ago`, nextIn: (time) => `next in ${time}`,
  overdue: (time) => `overdue by ${time}`, queued: (count) => `${count} queued`,
  state: "State", reason: "Probable reason", lastContact: "Last contact", nextContact: "Next contact",
  lastPosition: "Last position", daysLeft: "Days left", queue: "Queued records", version: "Version",
  settings: "Settings", asDesired: "as desired", notAsDesired: "not as desired", board: "Board", machine: "Machine",
  receiver: "Receiver", report: "Report of", events: "Last events",
  reasons: { unknown: "reason unknown" },
};
