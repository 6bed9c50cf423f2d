import Quantities

/// An address on a simulated bus: the chip, and the faults that prevent its answer.
struct VirtualSeat {
  /// A span in which the chip does not respond.
  struct Absence: Equatable {
    var span: Range<Moment>
    var keepsSupply: Bool
  }

  var part: any VirtualPart
  var refusals = 0
  /// Absences that are not over yet, in order of their start.
  private var absences: [Absence] = []

  init(part: any VirtualPart) { self.part = part }

  mutating func add(_ absence: Absence) {
    guard !absence.span.isEmpty else { return }
    absences.append(absence)
    absences.sort { $0.span.lowerBound < $1.span.lowerBound }
  }

  /// Advances the chip to a time.
  mutating func settle(at now: Moment) {
    while let absence = absences.first, absence.span.upperBound <= now {
      if !absence.keepsSupply { part.powerUp(at: absence.span.upperBound) }
      absences.removeFirst()
    }
    part.advance(to: now)
  }

  mutating func acknowledges(at now: Moment) -> Bool {
    settle(at: now)
    if absence(at: now) != nil { return false }
    guard refusals > 0 else { return true }
    refusals -= 1
    return false
  }

  func isInterruptRaised(at now: Moment) -> Bool { absence(at: now) == nil && part.isInterruptRaised }

  func nextInterruptChange(after now: Moment, until limit: Moment) -> Moment? {
    var ahead = self
    let isRaised = isInterruptRaised(at: now)
    var moment = now
    while true {
      // Until the next start or end of an absence, only the chip itself determines its pin.
      let edge = ahead.absences.lazy.flatMap { [$0.span.lowerBound, $0.span.upperBound] }
        .filter { $0 > moment && $0 <= limit }.min()
      if ahead.absence(at: moment) == nil {
        if let change = ahead.part.nextInterruptChange(until: edge ?? limit) { return change }
      }
      guard let edge else { return nil }
      ahead.settle(at: edge)
      if ahead.isInterruptRaised(at: edge) != isRaised { return edge }
      moment = edge
    }
  }

  private func absence(at now: Moment) -> Absence? { absences.first { $0.span.contains(now) } }
}
