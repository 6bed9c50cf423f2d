import Quantities

/// Detects a move of a stationary device by the access points in range, and schedules the scans for them.
///
/// The device has probably moved if none of several access points that it received while stationary is left, but
/// others are in range. An empty scan proves nothing. Access points come and go one by one; all of them change only
/// if the device has moved. Owned by ``Tracker``.
package struct AccessPointHint: Equatable, Sendable {
  /// Shortest interval between two scans; nil disables them.
  package var interval: Duration?

  /// Minimum number of access points for a comparison. Fewer do not identify a location.
  package static let fewest = 3
  /// Maximum number of addresses that are remembered per location.
  package static let mostRemembered = 64
  /// Time stationary before the first scan.
  package static let settling = Duration.seconds(60)

  /// Start of the stationary period in which ``here`` was received.
  private var periodStart: Moment?
  private var here: Set<String> = []
  private var scannedAt: Moment?

  package init(interval: Duration?) { self.interval = interval }

  /// The window of the next scan, one interval wide so that it can share a wake-up. Nil while the device moves
  /// (`stationarySince` is nil).
  package func window(stationarySince: Moment?) -> WakeWindow? {
    guard let interval, let stationarySince else { return nil }
    let due = max(stationarySince + Self.settling, scannedAt.map { $0 + interval } ?? .zero)
    return WakeWindow(from: due, orLater: interval)
  }

  /// Registers that a scan was requested.
  package mutating func asked(now: Moment) { scannedAt = now }

  /// Processes the addresses of a scan. Returns the number of missing access points if the device has probably moved.
  package mutating func take(_ received: Set<String>, stationarySince: Moment?) -> Int? {
    if periodStart != stationarySince {
      periodStart = stationarySince
      here = []
    }
    guard stationarySince != nil else { return nil }
    let isElsewhere =
      here.count >= Self.fewest && received.count >= Self.fewest && here.isDisjoint(with: received)
    let missing = isElsewhere ? here.count : nil
    if isElsewhere { here = [] }
    for address in received.sorted() where here.count < Self.mostRemembered { here.insert(address) }
    return missing
  }
}
