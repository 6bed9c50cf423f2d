import Records
import Testing
import TextSnapshots

/// Tests the sentence of every kind of event. The events of the receiver and the chips have separate tests, which start
/// from a notice.
@Suite struct EventSentenceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var kind: EventKind
    var fields: EventFields
    var testDescription: String { "\(kind.rawValue) \(fields.json)" }

    init(_ kind: EventKind, _ fields: EventFields = [:]) { (self.kind, self.fields) = (kind, fields) }
  }

  static let settings: [Case] = [
    Case(.started, [.version: "1.2", .cause: "first_start"]),
    Case(.started, [.version: "1.2", .cause: "orderly_stop", .previousVersion: "1.1"]),
    Case(.started, [.version: "1.2", .cause: "crash", .signal: "SIGSEGV"]),
    Case(.started, [.version: "1.2", .cause: "watchdog", .signal: "SIGABRT"]),
    Case(.started, [.version: "1.2", .cause: "supervisor", .signal: "SIGTERM"]),
    Case(.started, [.version: "1.2", .cause: "other_program", .signal: "SIGQUIT"]),
    Case(.started, [.version: "1.2", .cause: "killed"]),
    Case(.started, [.version: "1.2", .cause: "power_loss"]),
    Case(.started, [.version: "1.2", .cause: "no_notice"]),
    Case(.started, [.version: "1.2", .cause: "unknown"]),
    Case(.started, [.version: "1.2", .cause: "update", .previousVersion: "1.1"]),
    Case(.started, [.version: "1.2", .cause: "host_watchdog"]),
    Case(.stopped),
    Case(
      .identityChanged,
      [.cause: "other_board", .previousIdentity: "DB8952FE-E1F0-489A-9356-58321D2DEA51"]),
    Case(
      .identityChanged,
      [.cause: "other_machine_id", .previousIdentity: "DB8952FE-E1F0-489A-9356-58321D2DEA51"]),
    Case(.configurationChanged, [.changes: .list(["main.min_time: 5 s (file)", "log_level: debug (file)"])]),
    Case(.configurationRefused, [.reason: "config.json5:3:7: main.min_time: expected a duration"]),
    Case(
      .configurationRefused,
      [.reason: "config.json5:3:7: main.min_time: expected a duration", .cause: "start"]),
    Case(.remoteApplied, [.destination: "home", .changes: .list(["main.min_time=5s"]), .rollback: 86_400]),
    Case(.remoteProven, [.destination: "home", .changes: .list(["main.min_time=5s"])]),
    Case(.accessRefused, [.count: 10]),
    Case(.settingsRolledBack, [.changes: .list(["api.listen", "api.token"]), .cause: "not_confirmed"]),
    Case(.settingsRolledBack, [.changes: .list(["api.listen"]), .cause: "restart"]),
    Case(.updated, [.version: "0.3.0", .previousVersion: "0.2.0"]),
    Case(
      .updateRolledBack, [.version: "0.3.0", .previousVersion: "0.2.0", .reason: "nothing delivered to home"]),
    Case(
      .remoteRolledBack, [.destination: "home", .changes: .list(["main.min_time=5s"]), .cause: "not_proven"]),
    Case(
      .remoteRolledBack, [.destination: "home", .changes: .list(["main.min_time=5s"]), .cause: "crashes"]),
    Case(.remoteRolledBack, [.destination: "home", .changes: .list(["main.min_time=5s"]), .cause: "unset"]),
    Case(.remoteUnset, [.destination: "home", .changes: .list(["main.min_time as before"])]),
    Case(
      .remoteRolledBack,
      [
        .changes: .list(["main.min_time as before"]), .cause: "not_allowed",
        .reason: "remote.allow rejects it",
      ]),
  ]

  static let receiver: [Case] = [
    Case(.receiverLost, [.gpsd: "[::1]:2947", .cause: "unknown_host", .reason: "host unknown"]),
    Case(.receiverLost, [.gpsd: "[::1]:2947", .cause: "unreachable", .reason: "connection refused"]),
    Case(.receiverLost, [.gpsd: "[::1]:2947", .cause: "no_answer", .reason: "no answer within 10 s"]),
    Case(.receiverLost, [.gpsd: "[::1]:2947", .cause: "connection_closed", .reason: "connection closed"]),
    Case(.receiverFound, [.gpsd: "[::1]:2947", .gpsdVersion: "3.25", .device: "/dev/ttyACM0"]),
    Case(.receiverFound, [.gpsd: "[::1]:2947"]),
    Case(.receiverSilent, [.gpsd: "[::1]:2947", .duration: 30]),
    Case(.firstFix, [.duration: 28, .cause: "program_start"]),
    Case(.firstFix, [.duration: 28, .cause: "receiver_start"]),
    Case(.firstFix, [.duration: 28, .cause: "tracking_on"]),
    Case(.firstFix, [.duration: 28, .cause: "data_returned"]),
    Case(.receiverAsleep, [.cause: "stationary", .wake: 900]),
    Case(.receiverAsleep, [.cause: "no_reception", .wake: 900]),
    Case(.receiverAsleep, [.cause: "no_time", .wake: 900]),
    Case(.receiverAsleep, [.cause: "no_locations"]),
    Case(.receiverAsleep, [.cause: "stationary", .wakeReason: "network_changed"]),
    Case(
      .receiverAsleep,
      [.cause: "stationary", .wakeReason: "network_changed", .network: "work", .previousNetwork: "home"]),
    Case(.receiverAsleep, [.cause: "stationary", .wakeReason: "access_points_gone", .accessPoints: 3]),
  ]

  static let accelerometer: [Case] = [
    Case(.accelerometerLost, [.part: "lis3dh at 0x18 on /dev/i2c-1", .reason: "no answer"]),
    Case(
      .accelerometerDoubtful,
      [.part: "lis3dh at 0x18 on /dev/i2c-1", .cause: "overrun", .count: 12]),
  ]

  static let power: [Case] = [
    Case(.brownOut, [.cause: "now"]), Case(.brownOut, [.cause: "since_boot"]),
    Case(
      .powerLevel, [.previousLevel: "normal", .level: "low", .cause: "charge", .percent: 12, .limit: "15"]),
    Case(
      .powerLevel,
      [.previousLevel: "normal", .level: "low", .cause: "voltage", .voltage: 3512, .limit: "3.6"]),
    Case(
      .powerLevel,
      [
        .previousLevel: "normal", .level: "low", .cause: "temperature", .temperature: .decimal(-12.5),
        .limit: "-10",
      ]),
    Case(.powerLevel, [.previousLevel: "low", .level: "normal", .cause: "charger"]),
    Case(.powerLevel, [.previousLevel: "low", .level: "normal", .cause: "no_reading", .duration: 3600]),
    Case(
      .powerLevel, [.previousLevel: "low", .level: "normal", .cause: "constant_reading", .duration: 3600]),
    Case(.powerLevel, [.previousLevel: "normal", .level: "low", .cause: "restored"]),
    Case(.powerLevel, [.previousLevel: "normal", .level: "low", .cause: "not_read"]),
    Case(.powerBudget, [.interval: 100]), Case(.powerBudget, [.interval: 340, .outlook: "lasts"]),
    Case(.powerBudget, [.interval: 4800, .outlook: "falls_short"]),
    Case(.powerBudget, [.interval: 100, .outlook: "over"]),
    Case(.hostSleeping, [.mode: "halt", .wake: 3600, .wakeReason: "position_check"]),
    Case(.hostWoke), Case(.hostWoke, [.duration: 3600, .planned: 3600, .cause: "alarm"]),
    Case(.hostWoke, [.duration: 600, .planned: 3600, .cause: "early"]),
    Case(.hostWoke, [.duration: 600, .cause: "other_program"]),
    Case(.hostWoke, [.duration: 21_600, .planned: 3600, .cause: "dead_man"]),
    Case(.hostWoke, [.duration: 600, .planned: 3600, .cause: "button"]),
    Case(.hostWoke, [.cause: "supply"]), Case(.hostWoke, [.cause: "low_voltage"]),
    Case(.hostWoke, [.duration: 3600, .cause: "unknown_77"]),
    Case(.wakeAlarmMissed, [.planned: 3600, .duration: 21_600, .cause: "dead_man"]),
    Case(.wakeAlarmMissed, [.planned: 3600]),
    Case(
      .powerManagerFailed,
      [.part: "witty-pi-4 at 0x08 on /dev/i2c-1", .reason: "does not answer"]),
    Case(.hostStaysAwake, [.reason: "the log cannot be written", .retry: 600, .failures: 1]),
    Case(.hostStaysAwake, [.reason: "a trip is in progress", .failures: 0]),
  ]

  static let motion: [Case] = [
    Case(.motionChanged, [.motion: .list(["walking", "driving"]), .confidence: "low", .steps: 12]),
    Case(.motionChanged, [.motion: .list([]), .confidence: "low", .steps: 12]),
    Case(.motionBegan), Case(.motionEnded, [.duration: 1100]), Case(.trackingPaused, [.cause: "stationary"]),
    Case(.trackingResumed, [.duration: 1100]),
    Case(.clockSet, [.time: 1_772_360_102_000, .cause: "receiver"]),
    Case(.clockSet, [.time: 1_772_360_102_000, .cause: "network"]),
    Case(.clockSet, [.time: 1_772_360_102_000, .cause: "clock_chip"]), Case(.clockStepped, [.step: -1500]),
    Case(.clockLost, [.age: 90_000]), Case(.clockSourceChanged, [.step: 830]),
    Case(.weekRepaired, [.days: 7168]), Case(.dateRefused, [.time: 1_555_481_400_000]),
  ]

  static let tracking: [Case] = [
    Case(.tripStarted, [.isManual: true, .count: 0, .age: 0]),
    Case(.tripStarted, [.isManual: false, .count: 1, .age: 12]),
    Case(.tripEnded, [.cause: "asked", .distance: 5230, .duration: 840, .isTrip: true]),
    Case(.tripEnded, [.cause: "rest", .distance: 5230, .duration: 840, .isTrip: true]),
    Case(.tripEnded, [.cause: "ignition", .distance: 5230, .duration: 840, .isTrip: true]),
    Case(.tripEnded, [.cause: "no_fix", .distance: 5230, .duration: 840, .isTrip: true]),
    Case(.tripEnded, [.cause: "pause", .distance: 5230, .duration: 840, .isTrip: true]),
    Case(.tripEnded, [.cause: "rest", .distance: 52, .duration: 40, .isTrip: false]),
    Case(.gap, [.missing: "fix", .duration: 7210, .distance: 5230]),
    Case(.gap, [.missing: "location", .duration: 7210]),
    Case(.zoneEntered, [.zone: "depot"]), Case(.zoneEntered, [.zone: "depot", .isInferred: true]),
    Case(.zoneEntered, [.zone: "office", .cause: "network"]),
    Case(.zoneLeft, [.zone: "office", .cause: "contradicted"]),
    Case(.zoneDwelt, [.zone: "depot", .duration: 600]),
    Case(.parkingMoved, [.distance: 210]), Case(.parkingMoved, [.cause: "no_fix"]),
    Case(.parkingMoved, [.cause: "left"]), Case(.overspeedStarted, [.speed: 30_000]),
    Case(.overspeedEnded, [.speed: 31_000, .duration: 60, .started: 1_772_360_102_000]),
    Case(.idlingStarted, [.duration: 120]),
    Case(.idlingEnded, [.duration: 300, .started: 1_772_360_102_000]), Case(.idlingEnded, [.duration: 300]),
    Case(.towed, [.distance: 210]), Case(.towed, [.cause: "no_fix"]), Case(.towed, [.cause: "left"]),
    Case(.heartbeat), Case(.heartbeat, [.age: 3600]),
    Case(
      .fixesRejected,
      [
        .count: 41, .rejections: .counts(["impossible_position": 1, "no_fix": 40]),
        .lastValues: .texts(["impossible_position": "0.0, 0.0"]),
      ]),
    Case(.fixesLeftOut, [.count: 121, .rejections: .counts(["min_distance": 121])]),
  ]

  static let store: [Case] = [
    Case(.logSalvaged, [.cause: "the file is empty", .count: 1500, .lostRecords: 2]),
    Case(
      .logSalvaged,
      [
        .cause: "the file is empty", .count: 1500, .lostRecords: 2, .file: "outrider.db.damaged-1",
        .renumbered: 3,
        .reason: "4 pages could not be read",
      ]),
    Case(.recordsMissing, [.cause: "not_salvaged", .count: 3, .records: "4, 7–8"]),
    Case(.recordsMissing, [.cause: "checksum", .count: 1, .records: "4"]),
    Case(.recordsMissing, [.cause: "no_entry", .count: 1, .records: "4"]),
    Case(.recordsMissing, [.cause: "wal_cut", .record: 120, .pages: 12, .totalPages: 40, .bytes: 12_288]),
    Case(.recordsMissing, [.cause: "wal_gone", .record: 120, .pages: 40, .totalPages: 40, .bytes: 40_960]),
    Case(.recordsMissing, [.cause: "wal_gone_without_index", .record: 120, .bytes: 4_194_304]),
    Case(.recordsDropped, [.cause: "log_slow", .count: 1]),
    Case(.recordsDropped, [.cause: "log_failing", .count: 7]),
    Case(.recordsDropped, [.cause: "limit", .count: 7, .record: 1200]),
    Case(.storageFailing, [.reason: "outrider.db: disk full", .count: 12]),
    Case(.storageRecovered, [.count: 12]),
    Case(.storageNearlyFull, [.cause: "limit", .freeBytes: 10_485_760]),
    Case(.storageNearlyFull, [.cause: "file_system", .freeBytes: 10_485_760]),
    Case(.storageHasRoom, [.freeBytes: 104_857_600]),
    Case(.storageWearing, [.device: "mmcblk0", .percent: 80, .cause: "medium"]),
    Case(.storageWearing, [.percent: 90, .cause: "endurance"]),
  ]

  static let delivery: [Case] = [
    Case(.deliveryRecovered, [.destination: "home", .failures: 1]),
    Case(.backlogOver, [.destination: "home", .count: 10_000]),
    Case(.backlogUnder, [.destination: "home", .count: 4999]),
    Case(.networkRecovered, [.failures: 1]),
    Case(.queueRewound, [.destination: "fleet", .record: 48_001, .count: 212]),
  ]

  static let all = settings + receiver + accelerometer + power + motion + tracking + store + delivery

  @Test func everySentenceMatchesTheSnapshot() {
    let texts = TextSnapshot("event-sentences")
    for (index, each) in Self.all.enumerated() {
      let event = EventRecord(each.kind, each.fields)
      let number = Self.all[..<index].count { $0.kind == each.kind } + 1
      let text = "\(event.line)\n\(event.fields.json)"
      #expect(text == texts.expected("\(each.kind.rawValue) \(number)", text))
    }
  }

  /// The texts of `EventRecordTests` have the other kinds.
  @Test(arguments: EventKind.allCases) func theSentenceOfEveryKindIsInASnapshot(kind: EventKind) {
    let isOfNotice = !TextSnapshot("events")["\(kind.rawValue) 1"].hasPrefix("no entry")
    #expect(isOfNotice || Self.all.contains { $0.kind == kind })
  }

  @Test(arguments: EventKind.allCases) func anEventWithoutFieldsHasASentence(kind: EventKind) {
    let event = EventRecord(kind)
    #expect(!event.line.isEmpty && event.value == nil)
  }
}
