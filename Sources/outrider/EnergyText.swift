import LocalAPI
import Quantities
import Simulation

/// What the box drew, for people.
enum EnergyText {
  /// The table, with what is missing and what nobody explains.
  /// `since` is true where it was asked for the days from a time on.
  static func lines(
    _ energy: StatusReport.Energy, since: Bool = false, clock: WallClock = WallClock()
  ) -> [String] {
    guard energy.logged_s > 0 else {
      return [
        since
          ? "nothing is noted since then" : "nothing is noted yet: no logger has kept a ledger in this log"
      ]
    }
    var lines = [
      "since \(start(energy, clock) ?? "the start, whose date is not known")\(grain(energy)), \(StatusText.duration(energy.logged_s)) of "
        + "logging; mAh at a supply of \(energy.supply_V.text(decimals: 1)) V"
    ]
    var rows = [("", "hours", "mAh", "share")]
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
      ("together", (energy.logged_s / 3600).text(decimals: 2), energy.total_mAh.text(decimals: 3), ""))
    let width = rows.map(\.0.count).max() ?? 0
    lines += rows.map { row in
      row.0 + String(repeating: " ", count: width - row.0.count)
        + [row.1, row.2, row.3].map { pad($0, to: 12) }.joined()
    }.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    if !energy.missing.isEmpty {
      lines.append(
        "?: no current is given; measure it, and put your figures in place of these: \(advice(energy.missing))"
      )
    }
    return lines + [gauge(energy)]
  }

  /// The command that gives parts their currents. `paths` are of ``StatusReport/Energy/missing``: members of the group
  /// energy, which is set as a whole; what board and file have of it stays.
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
    energy.grain.map { " (kept by the \($0))" } ?? ""
  }

  /// One line for the status.
  static func summary(_ energy: StatusReport.Energy, clock: WallClock = WallClock()) -> String {
    let day = start(energy, clock).map { "since \($0)" } ?? "since the start"
    let shares = energy.shares.filter { $0.charge_mAh != nil }
    let figures =
      "\(energy.total_mAh.text(decimals: 1)) mAh\(energy.missing.isEmpty ? "" : " and what has no figure")"
    let remainder =
      energy.unexplained_mAh.map { ", \($0.text(decimals: 1)) mAh beyond that unexplained" } ?? ""
    return shares.isEmpty ? "no currents are set for this board\(remainder)" : "\(figures) \(day)\(remainder)"
  }

  private static func gauge(_ energy: StatusReport.Energy) -> String {
    guard let seen = energy.gauge_mAh, let explained = energy.explained_mAh,
      let unexplained = energy.unexplained_mAh
    else { return "nothing to compare with: \(energy.gauge_trouble ?? "no gauge has spoken")" }
    let share = seen > 0 ? " (\((100 * unexplained / seen).text(decimals: 1)) %)" : ""
    return
      "the gauge saw \(seen.text(decimals: 1)) mAh leave the battery, of which \(explained.text(decimals: 1)) mAh "
      + "are explained by the table and \(unexplained.text(decimals: 1)) mAh\(share) by nothing"
  }

  private static func pad(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 1)) + text
  }
}
