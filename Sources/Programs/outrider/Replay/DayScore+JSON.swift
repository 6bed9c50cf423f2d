import Replay

extension DayScore {
  /// Returns one line of JSON; figures that the day does not have are null.
  ///
  /// For several days, charge and time are means per day, and all other figures are totals.
  func json(policy: String, track: String?, days: Int = 1) -> String {
    let share = 1 / Double(max(days, 1))
    func number(_ value: Double?, _ decimals: Int) -> String {
      value.map { $0.text(decimals: decimals) } ?? "null"
    }
    let fields: [(String, String)] = [
      ("policy", "\"\(policy)\""),
      ("track", track.map(Self.quoted) ?? "null"),
      ("days", "\(days)"),
      ("receiver_mAh_per_day", number(charge * share, 4)),
      ("receiver_acquire_mAh", number(acquiring * share, 4)),
      ("receiver_track_mAh", number(tracking * share, 4)),
      ("receiver_cyclic_mAh", number(cyclic * share, 4)),
      ("receiver_backup_mAh", number(backup * share, 4)),
      ("on_time_s", number(onTime * share, 1)),
      ("starts", "\(starts)"),
      ("failed_searches", "\(failedSearches)"),
      ("points", "\(points)"),
      ("track_error_mean_m", number(errorMean, 2)),
      ("track_error_95_m", number(error95, 2)),
      ("track_error_max_m", number(errorMax, 2)),
      ("track_error_max_settled_m", number(settledErrorMax, 2)),
      ("distance_error_percent", number(distanceErrorPercent, 2)),
      ("stops_kept", "\(stopsKept)"),
      ("stops", "\(stops)"),
      ("stops_invented", "\(stopsInvented)"),
      ("departures", "\(latencies.count)"),
      ("departure_latency_median_s", number(latencyMedian, 1)),
      ("departure_latency_95_s", number(latency95, 1)),
    ]
    return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  /// A text as a string of JSON.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
