import Synchronization
import System

/// One attempt to connect to gpsd, on a separate thread.
///
/// To abandon an attempt, release it: the thread continues alone and closes any connection that it opens
/// later.
final class GPSDOpening: Sendable {
  typealias Outcome = Result<GPSDConnection, GPSDFailure>

  private let outcome = Mutex<Outcome?>(nil)
  private let ended: EventDescriptor

  /// Starts the thread.
  init(host: String, port: UInt16) throws(SystemError) {
    ended = try EventDescriptor(blocking: false)
    try DetachedThread.start("gpsd") { [self] in
      let result = Outcome { () throws(GPSDFailure) in try GPSDConnection(host: host, port: port) }
      outcome.withLock { $0 = result }
      ended.signal()
    }
  }

  /// A descriptor that becomes readable when the attempt has ended.
  var descriptor: Int32 { ended.raw }

  /// The outcome; nil before the attempt has ended, and after the outcome was taken.
  func take() -> Outcome? {
    outcome.withLock { outcome in
      defer { outcome = nil }
      return outcome
    }
  }
}
