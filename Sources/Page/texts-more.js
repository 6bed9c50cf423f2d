// Texts of the pages below More.

const plural = (count, one, many) => `${count} ${count === "1" ? one : many}`;

export const MORE = {
  collector: {
    title: "Outrider collector", why: "A token protects this collector.", device: "Device", reload: "Load again",
    unnamed: "without a name", none: "No position has arrived yet. Give the collector's address to a logger.",
    noReason: "The collector knows when points are missing, but not why. The page of the logger does.",
  },
  more: {
    back: "Back to More",
    titles: {
      receiver: "Receiver", energy: "Energy", sends: "Sends", settings: "Settings", destinations: "Destinations",
      device: "Device", trips: "Trips and visits", events: "Events", display: "Display",
    },
    texts: {
      receiver: "Identity, dialogue, raw console", energy: "Charge by consumer, forecast",
      sends: "The conversation with each server", settings: "All settings with origin",
      destinations: "Addresses and tokens", device: "Versions, clock, storage, access, doctor",
      trips: "List and export", events: "What happened", display: "Units and theme, in this browser only",
    },
  },
  receiverPage: {
    noModule: "Not identified", neverWrites: "Outrider never writes to this receiver (receiver.control: none).",
    port: "Port", family: "Family", firmware: "Firmware", speed: "Baud rate", dialogue: "Dialogue", control: "Control",
    gpsd: "gpsd", traffic: "Traffic", frames: "Valid frames", errors: "Checksum errors", silence: "Last epoch",
    events: "What was configured", console: "Raw console", filter: "Filter lines", pause: "Pause",
    noLines: "No lines yet.", leftOut: (count) => `${count} lines were left out.`,
  },
  energy: {
    none: "No energy ledger yet.", charging: "The battery is being charged. The forecast resumes on battery.",
    byDay: "Charge by day", missing: "These consumers have no current. Set them, or use a board file that has them:",
    noGauge: "No measured charge",
    sentence: (days, most) => `Charge of ${days} days by consumer, at most ${most} a day.`, gauge: "measured",
    unexplained: "unexplained", day: "Day", forecast: "Until the battery is empty", ledger: "Consumers",
    since: (date) => `since ${date}`, total: "Total", explained: "estimated",
    empty: (likely, least, most) => `Empty on ${likely}, between ${least} and ${most}.`, draws: "Recent use a day",
    days: (count) => `${count} days`, least: "With the fewest fixes", budget: "Budget",
    change: "What changes it most:", columns: ["Consumer", "Time", "Charge"],
    consumers: {
      receiver_searching: "receiver, acquiring", receiver_tracking: "receiver, tracking",
      receiver_cyclic: "receiver, cyclic", receiver_sleeping: "receiver, asleep", accelerometer: "accelerometer",
      gauge: "fuel gauge", host_base: "host, idle", processor: "processor", storage: "storage",
      radio_sending: "radio, sending",
    },
  },
  sends: {
    title: "Last exchanges", none: "No exchange since the start.", test: "Test",
    testing: "The test is sent; the result appears here.", reload: "Reload", drop: "Drop the queue",
    dropTitle: (name) => `Drop the queue of ${name}?`, dropAction: "Drop", dropped: "The queue was dropped.",
    dropText: (count) => `${count} records are never sent to this destination. They stay in the log.`,
    destination: "Destination", delivered: "Delivered", lastTest: "Last test", noAnswer: "no answer",
  },
  tripsPage: { days: (count) => `${count} days`, trips: "Trips", visits: "Visits", none: "None in this period." },
  events: {
    none: "No events yet.", group: "Group", search: "Search", older: "Load older events", undated: "no date yet",
    groups: {
      receiver: "Receiver", motion: "Motion", location: "Location", power: "Power", storage: "Storage",
      delivery: "Delivery", settings: "Settings",
    },
  },
  display: {
    theme: "Theme", themes: { auto: "As the system", light: "Light", dark: "Dark" }, units: "Units",
    unitNames: { kmh: "km/h, metres", mph: "mph, feet", kn: "knots, feet", ms: "m/s, metres" },
  },
  settings: {
    notSet: "not set", general: "General", noJSON: "this is not valid JSON", on: "on", off: "off",
    secret: "enter a new value; it is never shown", reset: "Reset to default",
    range: (least, most) => `${least} to ${most}`, or: (list) => `or ${list}`,
    default: (value) => `default ${value}`, restart: "applies after a restart",
    trial: (time) => `on trial, ${time} left`, locked: "locked for servers", remote: "servers may set it",
    fixed: "given at the start",
    fixedText: "The value was given with --set at the start; a change has no effect until the next start.",
    main: "Tracking", trip: "During trips", tripDiffers: "During trips: differs",
    overridden: (command) => `The value of the file has no effect. To restore it: ${command}`,
    origins: {
      board: "board", profile: "profile", file: "file", server: "server", operator: "operator", "--set": "--set",
    },
    search: "Search settings", changedOnly: "Changed settings only", group: "Group",
    notDurable: "The last change is not on disk yet.", nothing: "No setting matches.",
    pending: (count) => `${plural(String(count), "change", "changes")}`, discard: "Discard", review: "Review",
    preview: "Apply these changes?", apply: "Apply", previewColumns: ["Setting", "Now", "Then", "Applies"],
    atRestart: "after a restart", atOnce: "at once", applied: "The settings were changed.",
    risky: "This can cut you off from the device. Make sure that there is another way in.",
    meanwhile: (keys) => `Changed meanwhile by someone else: ${keys}. Review again.`, profiles: "Usage profiles",
    profileCards: {
      off: ["Default", "A location every second, receiver always on.", "about 585 mAh a day for the receiver"],
      "high-resolution": [
        "High resolution", "Best accuracy, a location every second, no pauses.",
        "about 585 mAh a day for the receiver",
      ],
      "battery-saving": [
        "Battery saving", "Track within 50 m, asleep while stationary.", "about 17 to 72 mAh a day for the receiver",
      ],
      "significant-only": [
        "Significant only", "A location after 500 m, at least 5 min apart.", "about 7 mAh a day for the receiver",
      ],
    },
    profileNote: "Means of 38 recorded days with the currents of a NEO-M8N. Your own settings override a profile.",
  },
  destinationsPage: {
    intro: "Without a destination, records are only stored. Tokens can be written, never read.",
    fresh: "New destination", saved: "The destinations were saved.",
    enterAgain: (list) =>
      `The list is saved as a whole, and the device does not show these values. Enter them again: ${list}.`,
    queueTitle: "Keep the queue?",
    queueText: "Keep sends the queue to the new address. Drop discards it; the records stay in the log.",
    keep: "Keep the queue", drop: "Drop the queue", remove: "Remove", removeTitle: (name) => `Remove ${name}?`,
    removeText: "Its queue is not sent. The records stay in the log.", isSet: "set, not shown",
    fields: {
      name: "Name", kind: "Kind", url: "Server URL", device_id: "Device id", token: "Token", directory: "Directory",
    },
  },
  devicePage: {
    version: "Version", outrider: "Outrider", name: "Device id", uptime: "Running for", file: "Configuration file",
    lastRun: "Last start", clock: "Clock", deviceTime: "Time of the device", zone: "Zone", source: "Source",
    phone: "Against this phone", storage: "Storage", directory: "Directory", limit: "Limit",
    difference: (time, sign) => (sign === 0 ? "equal" : `${time} ${sign > 0 ? "behind" : "ahead"}`),
    medium: "File system", disk: "Disk", oldest: "Oldest record", slowest: "Slowest write",
    writtenToday: "Written today", perDay: "Written a day", share: "Share of all writes", wear: "Wear of the medium",
    life: "Life left", years: (count) => `${count} years`, process: "Process", cpu: "CPU time", wakeups: "Wake-ups",
    anonymous: "Anonymous memory", resident: "Resident memory", threads: "Threads", restarts: "Restarts",
    written: "Written since the start",
    watching: "Cost of watching", access: "Access", role: "Your role", guests: "Guests", signOut: "Sign out",
    cost: (time, bytes, wakeups, cpu) =>
      `Since this page was opened ${time} ago: ${bytes} received, ${wakeups} wake-ups and ${cpu} s CPU time in all.`,
    roles: { operator: "operator", status: "guest: status", positions: "guest: positions", none: "none" },
    doctor: "Doctor", check: "Check this device", checking: "Checking, up to 20 s…",
    doctorSum: (ok, warnings, errors) => `${ok} ok, ${warnings} warnings, ${errors} errors`,
  },
};
