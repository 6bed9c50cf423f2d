import FleetRecords
import Quantities

/// The owner of a token that sends: a device, or the devices that share an enrolment token, by its hash.
enum TokenOwner: Hashable {
  case device(DeviceNumber)
  case enrolment(token: [UInt8])
}

/// Limits the requests and points of every token in a window of time.
struct RequestRates {
  /// The most that a token may send in a window.
  struct Limits: Equatable {
    /// The requests of a device.
    var requests = 60
    /// The records of a device.
    var points = 200_000
    /// The requests of all devices together that share an enrolment token.
    var enrolmentRequests = Self.enrolmentRequests(enrolments: 100)
    var window = Duration.seconds(600)
    /// The number of tokens to remember; it bounds the memory.
    var tokens = 200_000

    /// A device that is enrolled needs one request, and a few more if answers are lost; one that has to wait repeats its
    /// request after minutes.
    private static let requestsOfEnrolment = 10
    private static let fewestEnrolmentRequests = 1000

    /// The requests of an enrolment token that may make so many devices in an hour.
    static func enrolmentRequests(enrolments: Int) -> Int {
      let (requests, isOver) = enrolments.multipliedReportingOverflow(by: requestsOfEnrolment)
      return isOver ? .max : max(requests, fewestEnrolmentRequests)
    }
  }

  private struct Window {
    var start: Moment
    var requests = 0
    var points = 0
  }

  private let limits: Limits
  private var windows: [TokenOwner: Window] = [:]

  init(_ limits: Limits) { self.limits = limits }

  /// Counts a request; returns the time after which it is permitted if it exceeds the limits.
  mutating func admit(_ owner: TokenOwner, now: Moment) -> Duration? {
    var window = windows[owner] ?? Window(start: now)
    let end = window.start + limits.window
    if now >= end {
      window = Window(start: now)
    } else if isOver(window, of: owner) {
      return end - now
    }
    if windows.count >= limits.tokens, windows[owner] == nil { forget(now: now) }
    window.requests += 1
    windows[owner] = window
    return nil
  }

  private func isOver(_ window: Window, of owner: TokenOwner) -> Bool {
    switch owner {
    case .device: window.requests >= limits.requests || window.points >= limits.points
    case .enrolment: window.requests >= limits.enrolmentRequests
    }
  }

  /// Counts the points of an admitted request.
  mutating func count(_ points: Int, of owner: TokenOwner) {
    windows[owner]?.points += points
  }

  /// Makes room: for the windows that have ended, or, if there are none, for all.
  private mutating func forget(now: Moment) {
    let count = windows.count
    windows = windows.filter { now < $0.value.start + limits.window }
    if windows.count == count { windows = [:] }
  }
}
