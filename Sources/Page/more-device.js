// Device: versions, clock, storage, process, access, doctor, and what watching costs.
import { h, show } from "./dom.js";
import { T } from "./texts.js";
import { live, grown, deviceTime, mayWrite, refreshAccess, askForToken } from "./live.js";
import * as units from "./units.js";
import { get, post } from "./api.js";
import { act } from "./dialog.js";
import { card, loading, pair, pairs } from "./parts.js";

const SIGNS = { ok: "✓", warning: "!", error: "✗", skipped: "–" };
let opened = null;

export function open(root) {
  let doctor = null;
  let isBusy = false;
  refreshAccess();

  async function check(event) {
    isBusy = true;
    update();
    doctor = await act(event, () => get("doctor"));
    isBusy = false;
    update();
  }

  function update() {
    const { status } = live;
    if (!status) return show(root, loading());
    const { process } = status;
    opened ??= process ? { cpu_s: process.cpu_s, wakeups: process.wakeups } : null;
    show(root, versionCard(status), clockCard(status), storageCard(status), process ? processCard(process) : null,
      accessCard(), doctorCard(doctor, isBusy, check));
  }
  update();
  return { update };
}

const facts = (...rows) => pairs(rows.filter(([, value]) => value !== undefined && value !== null)
  .map((row) => pair(...row)));
const maybe = (value, text) => (value === undefined || value === null ? null : text(value));

function versionCard(status) {
  const started = live.events.findLast?.((event) => event.kind === "started");
  return card("version", T.devicePage.version, facts([T.devicePage.outrider, status.version],
    [T.devicePage.name, status.device_id],
    [T.devicePage.uptime, units.duration(grown(status.uptime_s))], [T.devicePage.file, status.configuration_file,
      "wide"],
    [T.devicePage.lastRun, started?.detail, "wide"]));
}

function clockCard(status) {
  const time = deviceTime();
  const steps = live.events.filter((event) => event.kind.startsWith("clock_")).slice(-4).reverse();
  const difference = time === null ? null : Math.round((Date.now() - time) / 1000);
  return card("clock", T.devicePage.clock,
    facts([T.devicePage.deviceTime, time === null ? T.unknown : units.moment(time), "wide"],
    [T.devicePage.zone, status.zone?.name],
    [T.devicePage.source, status.clock?.quality], [T.devicePage.phone, difference === null ? null
      : T.devicePage.difference(units.duration(Math.abs(difference)), difference)]),
  steps.length ? h("ul", { class: "list" },
    steps.map((event) => h("li", { class: "padded" }, h("p", null, event.detail ?? event.kind),
    h("p", { class: "quiet" }, units.moment(units.instant(event.time)))))) : null);
}

function storageCard({ log, storage = {} }) {
  const causes = (record) => Object.entries(record ?? {}).map(([name, value]) =>
    `${name} ${units.bytes(value)}`).join(", ") || null;
  return card("storage", T.devicePage.storage, facts([T.devicePage.directory, log.directory, "wide"],
    [T.log.size, maybe(log.bytes, units.bytes)],
    [T.devicePage.limit, maybe(log.limit_bytes, units.bytes)], [T.devicePage.medium, log.medium],
      [T.devicePage.disk, storage.disk],
    [T.devicePage.oldest, maybe(units.instant(log.first_time), units.date)],
    [T.log.flush, maybe(log.last_flush_ms, (value) => units.brief(value / 1000))],
    [T.devicePage.slowest, maybe(log.slowest_flush_ms, (value) => units.brief(value / 1000))],
    [T.devicePage.perDay, causes(storage.written_bytes_day), "wide"],
      [T.devicePage.share, maybe(storage.own_percent, (value) => `${value} %`)],
    [T.devicePage.wear, maybe(storage.used_percent, (value) => `${value} %`)],
      [T.devicePage.life, maybe(storage.days_left, (value) => T.devicePage.years(units.fixed(value / 365, 1)))]));
}

const processCard = (process) => card("process", T.devicePage.process,
  facts([T.devicePage.cpu, units.duration(process.cpu_s)], [T.devicePage.wakeups, units.count(process.wakeups)],
  [T.devicePage.anonymous, units.bytes(process.anonymous_bytes)],
    [T.devicePage.resident, units.bytes(process.resident_bytes)],
    [T.devicePage.threads, units.count(process.threads)],
    [T.devicePage.written, maybe(process.bytes_written, units.bytes)]),
h("h3", null, T.devicePage.watching),
  h("p", null, T.devicePage.cost(units.duration((performance.now() - live.openedAt) / 1000),
  units.bytes(live.received),
  opened ? units.count(process.wakeups - opened.wakeups) : units.DASH,
    opened ? units.fixed(process.cpu_s - opened.cpu_s, 1) : units.DASH)));

function accessCard() {
  const { access } = live;
  if (!access) return null;
  return card("access", T.devicePage.access,
    facts([T.devicePage.role, T.devicePage.roles[access.role] ?? access.role], [T.devicePage.guests, access.guest]),
    access.listening?.length ? h("ul", { class: "list" },
      access.listening.map((address) => h("li", { class: "padded mono" }, address))) : null,
    (access.failed ?? []).map((item) => h("p", { class: "mark fault" }, `${item.address}: ${item.reason}`)),
    access.needs_sign_in === false && !access.page_sign_in ? null : h("div", { class: "actions" },
      mayWrite() ? h("button", { onclick: async (event) => {
        await act(event, () => post("logout"));
        location.reload();
      } }, T.devicePage.signOut) : h("button", { onclick: askForToken }, T.signIn.action)));
}

/** What the logger says of a check that only the command can run. */
const ELSEWHERE = "run outrider doctor";

function doctorCard(doctor, isBusy, check) {
  const checks = doctor?.checks ?? [];
  const order = { error: 0, warning: 1, ok: 2, skipped: 3 };
  const count = (result) => checks.filter((item) => item.result === result).length;
  const elsewhere = checks.filter((item) => item.evidence === ELSEWHERE);
  const shown = checks.filter((item) => item.evidence !== ELSEWHERE)
    .sort((a, b) => order[a.result] - order[b.result]);
  return card("doctor", T.devicePage.doctor, mayWrite() ? h("button", { onclick: check, disabled: isBusy },
    isBusy ? T.devicePage.checking : T.devicePage.check) : null,
    checks.length ? h("p", null,
      T.devicePage.doctorSum(...["ok", "warning", "error", "skipped"].map(count))) : null,
    h("ul", { class: "list" }, shown.map((item) => h("li", { class: `padded check-${item.result}` },
      h("p", null, h("strong", null, `${SIGNS[item.result] ?? ""} ${item.id}`), ` ${item.evidence}`),
      item.meaning ? h("p", { class: "quiet" }, item.meaning) : null,
      (item.remedies ?? []).map((line) => h("pre", { class: "mono" }, line))))),
    elsewhere.length ? h("p", { class: "quiet" }, T.devicePage.notHere(elsewhere.map((item) => item.id).join(", ")))
      : null);
}
