import Quantities

/// The charge that the receiver is expected to use on a day with a usage profile, by the currents of this board.
///
/// The hours of each state are the means of the 38 recorded days of docs/energy-study.md, with 2.5 h of motion a day. A day
/// with more motion costs more, except with a receiver that is always on.
public struct ProfileCost: Equatable, Sendable {
  /// The charge of the receiver in mAh a day at the supply; nil if the board lacks a current.
  public let receiver: Double?
  /// The states of the receiver whose current is missing, in the order of ``ReceiverState``.
  public let missing: [ReceiverState]

  /// The hours a day in a state.
  typealias Hours = [(state: ReceiverState, hours: Double)]

  private static let day = 24.0
  /// The hours a day in which the receiver is on, and the share of acquisition in them.
  private static let batterySaving = (on: 0.25, acquiring: 0.6)
  private static let significantOnly = (on: 0.216, acquiring: 0.6)

  /// Creates the cost of a profile; nil for the settings without a profile, with which the receiver is always on.
  public init(_ profile: UsageProfile?, _ currents: BoardCurrents) {
    let hours = Self.hours(profile)
    missing = hours.map(\.state).filter { currents[.receiver($0)] == nil }
    receiver =
      missing.isEmpty
      ? hours.reduce(0) { $0 + $1.hours * (currents[.receiver($1.state)] ?? 0) } : nil
  }

  static func hours(_ profile: UsageProfile?) -> Hours {
    let use: (on: Double, acquiring: Double)
    switch profile {
    case nil, .highResolution?: return [(.tracking, day)]
    case .batterySaving?: use = batterySaving
    case .significantOnly?: use = significantOnly
    }
    return [
      (.backup, day - use.on), (.searching, use.on * use.acquiring),
      (.tracking, use.on * (1 - use.acquiring)),
    ]
  }
}

extension ChargeAccount {
  /// The charge of everything but the receiver in mAh a day; nil for an account of less than an hour.
  public var othersPerDay: Double? {
    guard duration >= .seconds(3600) else { return nil }
    let others = entries.filter { if case .receiver = $0.key { false } else { true } }
    let sum = others.values.reduce(Charge.zero) { $0 + $1.charge }
    return sum.milliampereHours / duration.inSeconds * 86_400
  }
}
