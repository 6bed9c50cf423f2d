import GNSSProtocol
import GNSSReceiver
import Quantities

/// The satellites that a receiver tracks, from its last report.
public struct SatelliteReception: Equatable, Sendable {
  /// Number of satellites with a signal, used or not.
  public var received: Int
  /// Carrier-to-noise density of the strongest in dBHz; nil if none is received.
  public var strongest: Double?
  /// The time of the receiver's report.
  public var moment: Moment

  init(_ satelliteReport: SatelliteReport, at moment: Moment) {
    let signals = satelliteReport.satellites.compactMap(\.signal).filter { $0 > 0 }
    (received, self.moment) = (signals.count, moment)
    strongest = signals.max().map(Double.init)
  }
}

// Satellites are read only without a fix, or on request, because each sentence costs processor time.
extension ReceiverLine {
  /// Timeout for the answer to ``askForSatellites()``.
  public static let satelliteTimeout = Duration.seconds(10)

  /// Queries the receiver once for its satellites by a command of its family, if it may be written to;
  /// otherwise waits for its regular output. ``satellites`` has the answer. Returns false while the port is
  /// closed.
  public func askForSatellites() -> Bool {
    guard isOpen else { return false }
    satelliteRequestUntil = loop.now + Self.satelliteTimeout
    reader.reportsSatellites = true
    request(.satellitesOnce)
    return true
  }

  /// The reason why ``askForSatellites()`` only waits for the regular output; nil if the receiver is queried.
  public var satelliteObstacle: SatelliteObstacle? { dialogue.satelliteObstacle }

  func followSatellites(_ fix: Fix, now: Moment) {
    if let until = satelliteRequestUntil, now >= until { endSatelliteRequest() }
    let isRequested = fix.kind == .none || satelliteRequestUntil != nil
    if reader.reportsSatellites != isRequested { reader.reportsSatellites = isRequested }
  }

  func take(_ satelliteReport: SatelliteReport) {
    satellites = SatelliteReception(satelliteReport, at: loop.now)
    endSatelliteRequest()
  }

  private func endSatelliteRequest() {
    guard satelliteRequestUntil != nil else { return }
    satelliteRequestUntil = nil
    request(.satelliteRequestEnded)
  }
}
