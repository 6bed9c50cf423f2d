import Quantities

@testable import Settings

/// Changes by servers on a simulated clock, with `remote.max_silence` of 80,000 s.
protocol MadeUpServers {}

extension MadeUpServers {
  static var silence: Duration { Duration.seconds(80_000) }
  static var mode: ServerKey { ServerKey("main.tracking_mode") }
  static var size: ServerKey { ServerKey("main.batch_size", destination: "b") }
  static var interval: ServerKey { ServerKey("send_interval", destination: "a") }

  static func at(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

  static func changes(silenced: Set<String> = []) -> ServerChanges {
    ServerChanges(rules: .init(maxSilence: silence, silenced: silenced), now: .zero)
  }

  /// The state after an earlier run that ended with these proven and rejected values.
  static func changes(
    proven values: [ServerKey: String] = [:], rolledBack: [ServerRecord.Value] = []
  ) -> ServerChanges {
    var record = ServerRecord()
    record.values = values.map { .init(key: $0.key, value: $0.value) }
    record.failures = rolledBack
    return ServerChanges(record, rules: changes().rules, now: .zero, boot: "", utc: utc)
  }

  static func onTrial(_ requested: [ServerKey: String] = [mode: "off"], at seconds: Int64 = 0)
    -> ServerChanges
  {
    var changes = changes()
    _ = changes.handle(.requested(requested, by: "a", afterRecord: 10), now: at(seconds))
    return changes
  }
  static var utc: Timestamp { Timestamp(milliseconds: 1_800_000_000_000) }

  static func after(
    _ changes: ServerChanges, at now: Moment, boot: String, next: Moment, utc later: Timestamp = utc
  )
    -> ServerChanges
  {
    ServerChanges(
      changes.record(now: now, boot: "one", utc: utc), rules: changes.rules, now: next, boot: boot, utc: later
    )
  }
}
