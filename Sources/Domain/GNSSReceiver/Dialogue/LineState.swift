import Quantities

/// State of the host's side of the serial line.
struct LineState: Equatable, Sendable {
  /// Baud rate in bit/s; without meaning if `hasSpeed` is false.
  var speed: UInt32
  var hasSpeed = true
  var isOpen = false

  /// True if the line is so slow that replies queue behind a burst of sentences.
  var isSlow: Bool { hasSpeed && speed <= 9600 }
  var effectiveSpeed: UInt32? { hasSpeed ? speed : nil }

  mutating func change(to speed: UInt32, _ actions: inout [DialogueAction]) {
    guard hasSpeed, speed != self.speed else { return }
    self.speed = speed
    actions.append(.setSpeed(speed))
  }
}

extension Moment {
  /// A deadline in the future, however short the wait.
  func after(_ wait: Duration) -> Moment { self + max(wait, .milliseconds(1)) }
}
