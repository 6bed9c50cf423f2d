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

/// The last report of the satellites, and a pending request for one.
struct SatelliteRequest: Sendable {
  /// The last satellites that the receiver reported; nil before the first report.
  private(set) var reception: SatelliteReception?
  /// Deadline of the pending request; nil if none is pending.
  private var until: Moment?

  mutating func begin(now: Moment) { until = now + ReceiverLine.satelliteTimeout }

  /// Takes a report. True if it ends a pending request.
  mutating func take(_ satelliteReport: SatelliteReport, now: Moment) -> Bool {
    reception = SatelliteReception(satelliteReport, at: now)
    return end()
  }

  /// Ends a request that was not answered in time; true if there was one.
  mutating func endIfOver(now: Moment) -> Bool {
    guard let until, now >= until else { return false }
    return end()
  }

  /// True if the satellites are to be read: only without a fix or on request, because each sentence costs
  /// processor time.
  func isNeeded(after fix: Fix) -> Bool { fix.kind == .none || until != nil }

  private mutating func end() -> Bool {
    defer { until = nil }
    return until != nil
  }
}
