import Devices
import GNSSProtocol
import Glibc
import Quantities
import System
import Tracking

/// Passes the receiver's time to chrony as a reference clock (`clock.chrony`). It never sets the clock itself.
///
/// Belongs to the thread of the loop, and needs neither a timer nor a watched descriptor.
final class ChronyReference {
  private var clock = ReferenceClock()
  private let socket: ChronySocket
  private let journal: (LogLevel, String) -> Void

  /// Creates the reference for chronyd's socket at `path`. `journal` gets one line for each reason why samples
  /// begin to fail, and one when they pass again.
  init(path: String, journal: @escaping (LogLevel, String) -> Void) {
    socket = ChronySocket(path: path)
    self.journal = journal
  }

  /// Sends the time of an epoch if it is valid. `began` is the time at which the first byte of the epoch arrived, and
  /// `device` is the clock of the tracker after the epoch.
  func take(_ fix: Fix, began: Moment?, now: Moment, device: DeviceClock) {
    guard let system = SystemClock.nanosecondsWithMoment() else { return }
    let arrival = ReferenceClock.Arrival(
      began: began, processed: now, systemNanoseconds: system.nanoseconds, systemMoment: system.moment)
    guard let sample = clock.sample(of: fix, arrival, clock: device) else { return }
    let notice = socket.send(
      ChronySample(systemNanoseconds: sample.systemNanoseconds, offset: sample.offset))
    switch notice {
    case .failed(let error)?: journal(.warning, "clock.chrony: \(error); \(Self.remedy(for: error))")
    case .recovered?: journal(.notice, "clock.chrony: chrony receives the time through \(socket.path)")
    case nil: break
    }
  }

  private static func remedy(for error: SystemError) -> String {
    switch error.number {
    case ENOENT, ECONNREFUSED: "start chrony with refclock SOCK \(error.subject)"
    case EACCES, EPERM:
      "give the group of this service write access to the socket, with a drop-in for chrony.service"
    case EAGAIN, ENOBUFS: "chrony does not read its socket; check chrony.service"
    default: "check the path, and refclock SOCK in chrony.conf"
    }
  }
}
