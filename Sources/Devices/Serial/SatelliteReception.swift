import GNSS
import Quantities

/// The satellites that a receiver receives, as it named them last.
public struct SatelliteReception: Equatable, Sendable {
  /// Satellites with a signal, used or not.
  public var received: Int
  /// Carrier to noise density of the strongest in dBHz; nil if none is received.
  public var strongest: Double?
  /// When the receiver named them.
  public var moment: Moment

  init(_ sky: Sky, at moment: Moment) {
    let signals = sky.satellites.compactMap(\.signal).filter { $0 > 0 }
    (received, self.moment) = (signals.count, moment)
    strongest = signals.max().map(Double.init)
  }
}

// Satellites are read only while there is no fix, or while somebody has asked: each sentence costs processor time.
extension ReceiverLine {
  /// How long the answer to ``askForSatellites()`` may take.
  public static let satellitePatience = Duration.seconds(10)

  /// Asks the receiver once which satellites it receives, by the means of its language, if it may be written to;
  /// otherwise waits for what it sends anyway. ``satellites`` has the answer. Returns false while the port is closed.
  public func askForSatellites() -> Bool {
    guard isOpen else { return false }
    satellitesWantedUntil = loop.now + Self.satellitePatience
    decoder.reportsSky = true
    want(.satellitesOnce)
    return true
  }

  /// Why ``askForSatellites()`` only waits for what the receiver sends anyway; nil if it is asked.
  public var satelliteObstacle: SatelliteObstacle? { dialogue.satelliteObstacle }

  func followSatellites(_ fix: Fix, now: Moment) {
    if let until = satellitesWantedUntil, now >= until { endSatelliteRequest() }
    let isWanted = fix.kind == .none || satellitesWantedUntil != nil
    if decoder.reportsSky != isWanted { decoder.reportsSky = isWanted }
  }

  func take(_ sky: Sky) {
    satellites = SatelliteReception(sky, at: loop.now)
    endSatelliteRequest()
  }

  private func endSatelliteRequest() {
    guard satellitesWantedUntil != nil else { return }
    satellitesWantedUntil = nil
    want(.satellitesNamed)
  }
}
