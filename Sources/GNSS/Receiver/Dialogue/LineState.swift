import Quantities

/// The host's side of the line.
struct LineState: Equatable, Sendable {
  /// Bit/s; without meaning when `hasSpeed` is false.
  var speed: UInt32
  var hasSpeed = true
  var isOpen = false

  /// Replies queue behind a burst of sentences.
  var isSlow: Bool { hasSpeed && speed <= 9600 }
  var namedSpeed: UInt32? { hasSpeed ? speed : nil }

  mutating func change(to speed: UInt32, _ actions: inout [DialogueAction]) {
    guard hasSpeed, speed != self.speed else { return }
    self.speed = speed
    actions.append(.setSpeed(speed))
  }
}

extension Moment {
  /// A deadline that lies ahead, however short the wait.
  func after(_ wait: Duration) -> Moment { self + max(wait, .milliseconds(1)) }
}
