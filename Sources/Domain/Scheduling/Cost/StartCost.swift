import GNSSProtocol
import GNSSReceiver
import Quantities

/// Learns the time to first fix for each kind of start and each time off.
///
/// The initial values are those of the family's data sheets for unobstructed reception. Only starts that led
/// to a fix are recorded; a stopped acquisition does not show how long a start takes. For an off time without
/// data, all starts of that kind are used.
public struct StartCost: Equatable, Sendable {
  public let family: ReceiverFamily
  /// The times, one for every kind and off time; `.unknown` holds all starts of the kind.
  private var times: [StartTime]

  public init(family: ReceiverFamily) {
    self.family = family
    times = StartKind.allCases.flatMap { kind in
      OffTime.allCases.map { _ in StartTime(prior: Self.prior(kind, family)) }
    }
  }

  /// Processes the receiver's family. Another family has other start times, so learning begins again.
  public mutating func identified(_ family: ReceiverFamily) {
    guard family != .unknown, family != self.family else { return }
    self = StartCost(family: family)
  }

  /// Records the time to first fix of a start that was expected to be `kind`; more than 5 minutes count as 5
  /// minutes.
  public mutating func learn(_ kind: StartKind, asleep: Duration?, timeToFirstFix: Duration) {
    let offTime = OffTime(asleep)
    times[Self.index(kind, offTime)].learn(timeToFirstFix.wholeMilliseconds)
    if offTime != .unknown { times[Self.index(kind, .unknown)].learn(timeToFirstFix.wholeMilliseconds) }
  }

  /// The mean time to first fix.
  public func expected(_ kind: StartKind, asleep: Duration?) -> Duration {
    .milliseconds(time(kind, asleep).mean)
  }

  /// The mean plus the mean deviation: about four of five starts are faster.
  public func cautious(_ kind: StartKind, asleep: Duration?) -> Duration {
    let time = time(kind, asleep)
    return .milliseconds(time.mean + time.deviation)
  }

  /// The time to wake up for a fix at `planned`: earlier by the cautious time, but never before the receiver
  /// fell asleep.
  ///
  /// Without `kind` (see ``EphemerisAge/expectedStart(now:)``) the time asleep determines it: hot below 3
  /// hours, warm above, cold if unknown.
  public func wakeMoment(
    forFixAt planned: Moment, asleepSince: Moment?, kind: StartKind? = nil
  ) -> Moment {
    let asleep = asleepSince.map { planned - $0 }
    let likely = kind ?? asleep.map { EphemerisAge.hotProbability(after: $0) >= 0.5 ? .hot : .warm } ?? .cold
    let wake = planned - cautious(likely, asleep: asleep)
    return max(wake, min(asleepSince ?? wake, planned))
  }

  private func time(_ kind: StartKind, _ asleep: Duration?) -> StartTime {
    let time = times[Self.index(kind, OffTime(asleep))]
    return time.count > 0 ? time : times[Self.index(kind, .unknown)]
  }

  private static func index(_ kind: StartKind, _ offTime: OffTime) -> Int {
    let row =
      switch kind {
      case .hot: 0
      case .warm: 1
      case .cold: 2
      }
    return row * OffTime.allCases.count + offTime.rawValue
  }

  /// Milliseconds with unobstructed reception.
  ///
  /// From the data sheets of NEO-6, MAX-M8Q, MAX-M10S, L76, LC86G, LC29H and ATGM336H; SiRF and unknown
  /// receivers get the slowest of them plus a margin.
  private static func prior(_ kind: StartKind, _ family: ReceiverFamily) -> Int64 {
    let (hot, warm, cold): (Int64, Int64, Int64) =
      switch family {
      case .ubloxMessages: (1000, 26_000, 27_000)
      case .ubloxKeys: (1000, 25_000, 26_000)
      case .mediaTek: (1000, 30_000, 35_000)
      case .airoha: (1500, 22_000, 27_000)
      case .quectel: (2000, 25_000, 28_000)
      case .casic: (1500, 28_000, 34_000)
      case .sirf: (2000, 32_000, 40_000)
      case .unknown: (2000, 30_000, 40_000)
      }
    return switch kind {
    case .hot: hot
    case .warm: warm
    case .cold: cold
    }
  }
}

extension StartCost {
  /// The learned values as one line of printable ASCII: `1 FAMILY KIND.OFFTIME=MEAN/DEVIATION/COUNT …`, in
  /// milliseconds, under 800 characters. Initial values are omitted.
  public var text: String {
    var parts = ["1", family.rawValue]
    for kind in StartKind.allCases {
      for offTime in OffTime.allCases {
        let time = times[Self.index(kind, offTime)]
        guard time.count > 0 else { continue }
        parts.append("\(kind.rawValue).\(offTime.rawValue)=\(time.mean)/\(time.deviation)/\(time.count)")
      }
    }
    return parts.joined(separator: " ")
  }

  /// Parses ``text``; fails for anything else. Any input is safe.
  public init?(text: String) {
    guard text.utf8.count < 800 else { return nil }
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0] == "1", let family = ReceiverFamily(rawValue: String(parts[1])) else {
      return nil
    }
    self.init(family: family)
    for part in parts.dropFirst(2) {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2 else { return nil }
      let names = sides[0].split(separator: ".", omittingEmptySubsequences: false)
      let numbers = sides[1].split(separator: "/", omittingEmptySubsequences: false).map { Int64($0) }
      guard names.count == 2, let kind = StartKind(rawValue: String(names[0])),
        let offTime = Int(names[1]).flatMap(OffTime.init(rawValue:)), numbers.count == 3,
        let mean = numbers[0], let deviation = numbers[1], let count = numbers[2],
        let time = StartTime(mean: mean, deviation: deviation, count: count)
      else { return nil }
      let index = Self.index(kind, offTime)
      guard times[index].count == 0 else { return nil }
      times[index] = time
    }
  }
}
