import FleetRecords
import Quantities

/// Limits the requests and points of every device in a window of time.
struct DeviceRates {
  /// The most that a device may send in a window.
  struct Limits: Equatable {
    var requests = 60
    var points = 200_000
    var window = Duration.seconds(600)
    /// The number of devices to remember; it bounds the memory.
    var devices = 200_000
  }

  private struct Window {
    var start: Moment
    var requests = 0
    var points = 0
  }

  private let limits: Limits
  private var windows: [DeviceNumber: Window] = [:]

  init(_ limits: Limits) { self.limits = limits }

  /// Counts a request; returns the time after which it is permitted if it exceeds the limits.
  mutating func admit(_ device: DeviceNumber, now: Moment) -> Duration? {
    var window = windows[device] ?? Window(start: now)
    let end = window.start + limits.window
    if now >= end {
      window = Window(start: now)
    } else if window.requests >= limits.requests || window.points >= limits.points {
      return end - now
    }
    if windows.count >= limits.devices, windows[device] == nil { forget(now: now) }
    window.requests += 1
    windows[device] = window
    return nil
  }

  /// Counts the points of an admitted request.
  mutating func count(_ points: Int, of device: DeviceNumber) {
    windows[device]?.points += points
  }

  /// Makes room: for the windows that have ended, or, if there are none, for all.
  private mutating func forget(now: Moment) {
    let count = windows.count
    windows = windows.filter { now < $0.value.start + limits.window }
    if windows.count == count { windows = [:] }
  }
}
