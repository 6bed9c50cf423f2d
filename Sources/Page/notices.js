// What a person should know now, the most serious first. A value without elements, so that it can be tested.
import { T } from "./texts.js";
import * as units from "./units.js";

const ORDER = { fault: 0, warning: 1, trial: 2, note: 3 };
const LONG_QUEUE = 10000;
const NEARLY_FULL = 0.95;
const SERIOUS = new RegExp("lost|fail|silent|garbled|trouble|critical|missing|dropped|set_aside|refused|went_back|" +
  "brown_out|under|doubt|towed");

/** The notices of a status: level, title, text, and the key of a setting on trial. */
export function notices(status) {
  const list = [];
  const add = (level, title, text, more) => list.push({ level, title, text: text ?? "", ...more });
  const { log = {}, power, receiver, clock, remote, notifications } = status;
  if (log.trouble) add("fault", T.notices.storage, log.trouble);
  if (status.settings_trouble) add("fault", T.notices.settings, status.settings_trouble);
  if (receiver?.trouble) add("fault", T.notices.receiver, receiver.trouble);
  if (power?.level === "critical") add("fault", T.notices.critical, power.reason);
  if (power?.level === "low") add("warning", T.notices.low, power.reason);
  for (const item of status.destinations ?? []) {
    if (item.queued > LONG_QUEUE) {
      const rate = item.records_per_s;
      const drain = rate > 0 ? T.destinations.drain(units.fixed(rate, 1), units.duration(item.queued / rate)) : "";
      add("note", T.notices.queue(item.name), `${T.notices.queueText(units.count(item.queued))} ${drain}`.trim());
    }
  }
  if (["tmpfs", "ramfs", "overlay"].includes(log.medium)) add("warning", T.notices.memory,
    T.notices.memoryText(log.medium));
  if (log.limit_bytes > 0 && log.bytes > NEARLY_FULL * log.limit_bytes) {
    add("warning", T.notices.full, T.notices.fullText(units.bytes(log.bytes), units.bytes(log.limit_bytes)));
  }
  if (log.missing > 0) add("warning", T.notices.missing(units.count(log.missing)));
  if (clock?.quality === "none") {
    add("warning", T.notices.clock, log.undated > 0 ? T.notices.clockText(units.count(log.undated))
      : T.notices.clockPlain);
  }
  if (status.battery?.gauge?.is_lost) add("warning", T.notices.gauge, status.battery.gauge.trouble);
  if (status.accelerometer?.is_lost) add("warning", T.notices.accelerometer, status.accelerometer.trouble);
  if (notifications?.trouble) add("warning", T.notices.notifications, notifications.trouble);
  for (const trial of remote?.on_trial ?? []) {
    add("trial", T.notices.trial(trial.key, trial.destination), "", { trial });
  }
  return list.sort((a, b) => ORDER[a.level] - ORDER[b.level]);
}

/** The serious events that are newer than the last one a person has seen. A present failure is told by its card. */
export const newFaults = (events, seen, status) => events.filter((event) => event.id > seen
  && SERIOUS.test(event.kind)
  && !(event.kind === "delivery_failing" && status.destinations?.some((item) => item.trouble)));
