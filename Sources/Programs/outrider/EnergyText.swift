import History
import LocalAPI
import Quantities

/// Renders the energy report as text.
enum EnergyText {
  /// Returns the table, the consumers without a current, and the unexplained difference.
  /// `since` is true if the report was requested from a certain time on.
  static func lines(
    _ energy: StatusReport.Energy, since: Bool = false, clock: WallClock = WallClock()
  ) -> [String] {
    guard energy.logged_s > 0 else {
      return [
        since
          ? "no energy data since then" : "no energy data: this log holds no ledger yet"
      ]
    }
    var lines = [
      "since \(start(energy, clock) ?? "an unknown date")\(grain(energy)): \(StatusText.duration(energy.logged_s)) of "
        + "logging; charges in mAh at a supply of \(energy.supply_V.text(decimals: 1)) V"
    ]
    var rows = [("consumer", "hours", "mAh", "share")]
    for share in energy.shares {
      let part = share.charge_mAh.map { charge in
        energy.total_mAh > 0 ? (100 * charge / energy.total_mAh).text(decimals: 1) + " %" : ""
      }
      rows.append(
        (
          share.name, (share.time_s / 3600).text(decimals: 2), share.charge_mAh?.text(decimals: 3) ?? "?",
          part ?? ""
        ))
    }
    rows.append(
      ("total", (energy.logged_s / 3600).text(decimals: 2), energy.total_mAh.text(decimals: 3), ""))
    let width = rows.map(\.0.count).max() ?? 0
    lines += rows.map { row in
      row.0 + String(repeating: " ", count: width - row.0.count)
        + [row.1, row.2, row.3].map { pad($0, to: 12) }.joined()
    }.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    if !energy.missing.isEmpty {
      lines.append(
        "?: current unknown; measure it and set your figures, as in: \(advice(energy.missing))"
      )
    }
    return lines + [gauge(energy)]
  }

  /// Returns the command that sets the currents of consumers. `paths` come from ``StatusReport/Energy/missing``.
  ///
  /// They are members of the group `energy`, which is set as a whole; other members of board and file keep their values.
  static func advice(_ paths: [String]) -> String {
    let members = paths.map { path in
      "\(path.split(separator: ".").last ?? ""): { mA: 10, V: 5, source: \"measured\" }"
    }
    return "outrider set 'energy={ \(members.joined(separator: ", ")) }'"
  }

  private static func start(_ energy: StatusReport.Energy, _ clock: WallClock) -> String? {
    energy.since.map { text in Timestamp(iso8601: text).map(clock.text) ?? text }
  }

  private static func grain(_ energy: StatusReport.Energy) -> String {
    energy.grain.map { " (resolution: \($0))" } ?? ""
  }

  /// Returns one line for the status.
  static func summary(_ energy: StatusReport.Energy, clock: WallClock = WallClock()) -> String {
    let day = start(energy, clock).map { "since \($0)" } ?? "since the start"
    let shares = energy.shares.filter { $0.charge_mAh != nil }
    let figures =
      "\(energy.total_mAh.text(decimals: 1)) mAh\(energy.missing.isEmpty ? "" : " (some currents unknown)")"
    let remainder =
      energy.unexplained_mAh.map { ", unexplained difference \($0.text(decimals: 1)) mAh" } ?? ""
    return shares.isEmpty ? "no currents known for this board\(remainder)" : "\(figures) \(day)\(remainder)"
  }

  private static func gauge(_ energy: StatusReport.Energy) -> String {
    guard let seen = energy.gauge_mAh, let explained = energy.explained_mAh,
      let unexplained = energy.unexplained_mAh
    else {
      return "no measured charge to compare with: \(energy.gauge_trouble ?? "no reading of the fuel gauge")"
    }
    let share = seen > 0 ? " (\((100 * unexplained / seen).text(decimals: 1)) %)" : ""
    return
      "measured by the fuel gauge: \(seen.text(decimals: 1)) mAh; estimated for the same time: "
      + "\(explained.text(decimals: 1)) mAh; unexplained difference: \(unexplained.text(decimals: 1)) mAh\(share)"
  }

  private static func pad(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 1)) + text
  }
}
