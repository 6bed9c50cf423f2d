import Quantities

/// State of the host's side of the serial line.
struct LineState: Equatable, Sendable {
  /// Baud rate in bit/s; without meaning if `hasSpeed` is false.
  private(set) var speed: UInt32
  private(set) var hasSpeed = true
  private(set) var isOpen = false
  /// A baud rate that failed and is not tried again while the port is open.
  private(set) var failedSpeed: UInt32?
  /// The fault of the search that was last reported.
  private var reportedFault: DialogueNotice?

  init(speed: UInt32, isOpen: Bool = false) {
    self.speed = speed
    self.isOpen = isOpen
  }

  /// True if the line is so slow that replies queue behind a burst of sentences.
  var isSlow: Bool { hasSpeed && speed <= 9600 }
  var effectiveSpeed: UInt32? { hasSpeed ? speed : nil }

  mutating func opened(hasSpeed: Bool, _ actions: inout [DialogueAction]) {
    isOpen = true
    self.hasSpeed = hasSpeed
    if hasSpeed { actions.append(.setSpeed(speed)) }
  }

  mutating func closed() { isOpen = false }

  mutating func change(to speed: UInt32, _ actions: inout [DialogueAction]) {
    guard hasSpeed, speed != self.speed else { return }
    self.speed = speed
    actions.append(.setSpeed(speed))
  }

  mutating func recordFailure(of speed: UInt32) { failedSpeed = speed }

  /// Allows the baud rate that failed, because the next device on this port may be another one.
  mutating func forgetFailure() { failedSpeed = nil }

  /// Reports that a round of the search found no frames, once until frames arrive.
  mutating func reportFault(hasReceivedBytes: Bool, _ actions: inout [DialogueAction]) {
    let notice =
      hasReceivedBytes ? DialogueNotice.garbled(hasSpeed: hasSpeed) : DialogueNotice.mute(hasSpeed: hasSpeed)
    guard reportedFault != notice else { return }
    reportedFault = notice
    actions.append(.report(notice))
  }

  /// Reports that frames arrive.
  mutating func reportFound(_ actions: inout [DialogueAction]) {
    reportedFault = nil
    actions.append(.report(.found(speed: effectiveSpeed)))
  }
}

extension Moment {
  /// A deadline in the future, however short the wait.
  func after(_ wait: Duration) -> Moment { self + max(wait, .milliseconds(1)) }
}
