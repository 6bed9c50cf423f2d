import Quantities

/// What the modem or the wireless network is doing.
public enum RadioUse: Equatable, Sendable {
  case off
  /// On, and nothing is sent.
  case idle
  case sending
}

extension EnergyBook {
  /// From now on the radio does this. After a sending the network keeps it up for the time that the board says; the end of
  /// that wakes nobody, and is noted at its moment when the book is told the next thing.
  public mutating func noteRadio(_ use: RadioUse, now: Moment) {
    endTail(now: now)
    switch use {
    case .off:
      radioTailEnds = nil
      note(.radio, does: nil, now: now)
    case .sending:
      radioTailEnds = nil
      note(.radio, does: .radioSending, now: now)
    case .idle:
      guard radioTailEnds == nil else { return }
      if isSending, let tail = currents.radioTail, tail > .zero {
        radioTailEnds = now + tail
        note(.radio, does: .radioTail, now: now)
      } else {
        note(.radio, does: waiting, now: now)
      }
    }
  }

  /// A tail that is over ended when it was over.
  mutating func endTail(now: Moment) {
    guard let end = radioTailEnds, end <= now else { return }
    radioTailEnds = nil
    note(.radio, does: waiting, now: end)
  }

  /// A radio of which the board says nothing while it waits is in the host's current.
  private var waiting: EnergyShare? { currents[.radioWaiting].map { _ in .radioWaiting } }
}
