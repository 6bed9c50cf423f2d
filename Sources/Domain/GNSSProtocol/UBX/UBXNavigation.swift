/// Combines the UBX messages of one epoch, whose iTOWs differ by some milliseconds at most.
///
/// If NAV-PVT is sent it is the solution, and of the other messages only the dilutions and the satellites are
/// used.
struct UBXNavigation: Sendable {
  private(set) var clock = NavigationClock()
  private var parts = NavigationParts()
  /// The iTOW of the last NAV-PVT, and the number of iTOWs without one since.
  private var solutionITOW: UInt32?
  private var solutionTime: EpochTime?
  private var iTOWsWithout = Self.mostWithout
  private var days = ReceiverDays()

  /// Number of iTOWs without NAV-PVT after which the separate messages are the solution.
  private static let mostWithout = 5

  /// The NAV-PVT with the dilutions that arrived first; nil for a wrong length.
  @inline(__always)
  mutating func solution(_ payload: UnsafeRawBufferPointer) -> NavigationSolution? {
    guard var solution = NavigationSolution(payload: payload, days: &days) else { return nil }
    clock.record(solution.iTOW, is: solution.time)
    if NavigationClock.isSameEpoch(solution.iTOW, parts.iTOW) { solution.dilutions = parts.dilutions }
    solutionITOW = solution.iTOW
    solutionTime = solution.time
    iTOWsWithout = 0
    return solution
  }

  mutating func take(_ message: NavPOSLLH) -> NavigationParts? {
    join(message.iTOW) { $0.parts.take(message) }
  }

  mutating func take(_ message: NavVELNED) -> NavigationParts? {
    join(message.iTOW) { $0.parts.take(message) }
  }

  mutating func take(_ message: NavSTATUS) -> NavigationParts? {
    join(message.iTOW) { $0.parts.take(message) }
  }

  mutating func take(_ message: NavSOL) -> NavigationParts? {
    join(message.iTOW) {
      $0.clock.record(message)
      $0.parts.take(message)
    }
  }

  mutating func take(_ message: NavTIMEUTC) -> NavigationParts? {
    join(message.iTOW) { $0.clock.record(message) }
  }

  mutating func take(_ message: NavDOP) -> NavigationParts? {
    join(message.iTOW) { $0.parts.take(message) }
  }

  /// A NAV-DOP whose NAV-PVT was emitted already.
  mutating func late(_ message: NavDOP) -> LateDilutions? {
    guard NavigationClock.isSameEpoch(message.iTOW, solutionITOW) else { return nil }
    return LateDilutions(time: solutionTime ?? clock.time(of: message.iTOW), dilutions: message)
  }

  mutating func take(_ message: NavTIMELS) { clock.record(message) }

  /// The time that identifies the epoch of `iTOW`.
  mutating func time(of iTOW: UInt32) -> EpochTime? { clock.time(of: iTOW) }

  /// The dilutions of `iTOW`, if they arrived.
  func dilutions(of iTOW: UInt32) -> NavDOP? {
    NavigationClock.isSameEpoch(iTOW, parts.iTOW) ? parts.dilutions : nil
  }

  @inline(__always)
  private mutating func join(_ iTOW: UInt32, _ take: (inout UBXNavigation) -> Void) -> NavigationParts? {
    begin(iTOW)
    take(&self)
    return joined()
  }

  private mutating func begin(_ iTOW: UInt32) {
    guard !NavigationClock.isSameEpoch(iTOW, parts.iTOW) else { return }
    if !NavigationClock.isSameEpoch(iTOW, solutionITOW) {
      iTOWsWithout = min(iTOWsWithout + 1, Self.mostWithout)
    }
    parts.begin(iTOW)
  }

  /// The messages of the current iTOW; nil if they are insufficient, or if NAV-PVT is sent.
  private mutating func joined() -> NavigationParts? {
    guard iTOWsWithout >= Self.mostWithout, parts.isUseful, let iTOW = parts.iTOW else { return nil }
    if parts.isTimeSet {
      parts.time = clock.time(of: iTOW)
      parts.timestamp = clock.timestamp(of: iTOW)
    }
    return parts
  }
}
