import Energy
import LoggerConfiguration
import Quantities
import Replay
import Scheduling
import Settings

extension DeviceModel {
  /// The device of a configuration, without its radio.
  init(_ configuration: Configuration) {
    var rules = HostRules(configuration)
    if let manager = configuration.powerManager {
      // A device in the field has proven its alarms.
      let longest = rules?.longest ?? .seconds(86_400)
      rules?.cut = SupplyCutRules(deadMan: manager.deadMan ?? .seconds(86_400), longestWake: longest)
    }
    self.init(BoardCurrents(configuration), host: rules)
    hasGauge = configuration.gauge != nil
    if configuration.receiver.hasOwnSupply, configuration.main.deferredMetres != nil {
      storedEpochs = .ublox(speed: UInt32(clamping: configuration.receiver.targetSpeed ?? 38_400))
    }
  }
}

extension Configuration {
  /// The longest time between two fixes of a stationary device; nil if its receiver never sleeps.
  var stationaryInterval: Duration? {
    guard pausesWhileStationary else { return nil }
    let ceilings = profiles.compactMap { [.always, .stop].contains($0.when) ? $0.ceiling : nil }
    return ([max(main.checkInterval, main.checkLongest)] + ceilings).min()
  }
}

extension DeviceAccount {
  /// The account as members of one JSON object, per day. `limit` is in mAh a day.
  func json(days: Int, limit: Double, capacity: Double) -> String {
    let share = 1 / Double(max(days, 1))
    func number(_ value: Double?, _ decimals: Int = 2) -> String {
      value.map { $0.text(decimals: decimals) } ?? "null"
    }
    let consumers = EnergyShare.all.compactMap { consumer -> String? in
      charges.entries[consumer].map {
        "\"\(consumer.name)\":\(number($0.isIncomplete ? nil : $0.charge.milliampereHours * share, 3))"
      }
    }
    let life = BatteryLife(capacity: capacity, perDay: total * share)
    let fields: [(String, String)] = [
      ("mAh_per_day", number(total * share)), ("limit_mAh_per_day", number(limit)),
      ("ratio", number(limit > 0 ? total * share / limit : nil, 3)),
      ("supply_V", number(charges.supplyVolts, 1)), ("consumers", "{\(consumers.joined(separator: ","))}"),
      ("alarms", "\(alarms)"), ("motion_starts", "\(motionStarts)"),
      ("host_on_s", number(hostOn.inSeconds * share, 0)), ("epochs_lost", "\(lostEpochs)"),
      ("alarm_to_record_95_s", number(DayScore.quantile(alarmToRecord, 0.95), 1)),
      ("motion_to_record_median_s", number(DayScore.quantile(motionToRecord, 0.5), 1)),
      ("battery_mAh", number(capacity, 0)), ("days_fewest", number(life?.fewest, 1)),
      ("days_likeliest", number(life?.likeliest, 1)), ("days_most", number(life?.most, 1)),
    ]
    return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  /// The account as lines of text, per day.
  func lines(days: Int, limit: Double, capacity: Double) -> [String] {
    let share = 1 / Double(max(days, 1))
    var rows = [("consumer", "hours", "mAh")]
    for consumer in EnergyShare.all {
      guard let entry = charges.entries[consumer], entry.time > .zero || entry.charge > .zero else {
        continue
      }
      rows.append(
        (
          consumer.name, (entry.time.inSeconds / 3600 * share).text(decimals: 2),
          entry.isIncomplete ? "?" : (entry.charge.milliampereHours * share).text(decimals: 2)
        ))
    }
    let total = total * share
    rows.append(("total", "", total.text(decimals: 2)))
    let width = rows.map(\.0.count).max() ?? 0
    var lines = rows.map { row in
      let name = row.0 + String(repeating: " ", count: width - row.0.count)
      return [row.1, row.2].reduce(name) { $0 + String(repeating: " ", count: max(12 - $1.count, 1)) + $1 }
    }
    lines.append(
      "limit \(limit.text(decimals: 1)) mAh a day for a device that knows the future"
        + (limit > 0 ? ", ratio \((total / limit).text(decimals: 2))" : ""))
    lines.append(
      "starts of the host: \(alarms) by alarm, \(motionStarts) by motion; on for "
        + "\((hostOn.inSeconds / 3600 * share).text(decimals: 2)) h a day")
    if let life = BatteryLife(capacity: capacity, perDay: total) {
      lines.append(life.sentence(capacity: capacity))
    }
    return lines
  }
}
