import Quantities

/// How far a storage medium is used up, and how long it lasts.
public struct MediumLife: Equatable, Sendable {
  /// The origin of the share that is used.
  public enum Origin: String, Equatable, Sendable {
    /// The medium reports it.
    case medium
    /// The bytes written to the file system, of the endurance that the maker states.
    case endurance
  }

  /// The shares in percent at which an event reports wear.
  public static let levels = [80, 90]

  /// The used share in percent, at most 100; nil if it is unknown.
  public var usedPercent: Int?
  /// The origin of ``usedPercent``.
  public var origin: Origin?
  /// The days until the endurance is used up at the present rate, at most 36 500; nil without endurance, count or rate.
  public var daysLeft: Int?
  /// The share of the logger in all writes, in percent; nil if it is unknown.
  public var ownPercent: Int?

  /// `endurance`: the bytes that the medium can be written with, by its maker; nil if unknown.
  public init(_ report: MediumReport, rate: WriteHistory.Rate?, endurance: Int64?) {
    let byCount = report.lifetimeBytes.flatMap { count in
      endurance.flatMap { $0 > 0 ? Int(min(Double(max(count, 0)) / Double($0), 1) * 100) : nil }
    }
    if let reported = report.wear?.usedPercent, reported >= byCount ?? 0 {
      (usedPercent, origin) = (reported, .medium)
    } else if let byCount {
      (usedPercent, origin) = (byCount, .endurance)
    }
    if let medium = rate?.medium, let own = rate?.own, medium > 0 {
      ownPercent = Int(min(Double(own.total) / Double(medium), 1) * 100)
      if let endurance, let count = report.lifetimeBytes {
        daysLeft = Int(min(max(Double(endurance) - Double(max(count, 0)), 0) / Double(medium), 36_500))
      }
    }
  }
}

extension WriteHistory {
  /// Returns the level of ``MediumLife/levels`` that was reached and not reported before, and notes it; nil otherwise.
  ///
  /// A medium with less wear than reported is a new one: its levels are reported again.
  public mutating func levelToReport(_ life: MediumLife) -> Int? {
    guard let used = life.usedPercent else { return nil }
    let level = MediumLife.levels.last { $0 <= used } ?? 0
    guard level != reportedPercent else { return nil }
    let isWorse = level > reportedPercent
    recordReported(percent: level)
    return isWorse ? level : nil
  }
}
