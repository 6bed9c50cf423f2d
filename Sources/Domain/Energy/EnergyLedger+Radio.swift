import Quantities

/// The state of the modem or wireless network.
public enum RadioUse: Equatable, Sendable {
  case off
  /// On, but not sending.
  case idle
  case sending
}

extension EnergyLedger {
  /// Starts a state of the radio.
  ///
  /// After sending, the network keeps the radio active for the time in the board file. The end of that time causes no
  /// wake-up; it is recorded, with its time, at the next call.
  public mutating func recordRadio(_ use: RadioUse, now: Moment) {
    endTail(now: now)
    switch use {
    case .off:
      radioTailEnds = nil
      record(.radio, drawing: nil, now: now)
    case .sending:
      radioTailEnds = nil
      record(.radio, drawing: .radioSending, now: now)
    case .idle:
      guard radioTailEnds == nil else { return }
      if isSending, let tail = currents.radioTail, tail > .zero {
        radioTailEnds = now + tail
        record(.radio, drawing: .radioTail, now: now)
      } else {
        record(.radio, drawing: waiting, now: now)
      }
    }
  }

  /// Ends the active time after sending if it is over, with its exact end.
  mutating func endTail(now: Moment) {
    guard let end = radioTailEnds, end <= now else { return }
    radioTailEnds = nil
    record(.radio, drawing: waiting, now: end)
  }

  /// The state of a waiting radio; nil if the board file includes its current in that of the host.
  private var waiting: EnergyShare? { currents[.radioWaiting].map { _ in .radioWaiting } }
}
