import Synchronization
import SystemLoop

/// One attempt to connect to gpsd, on a thread of its own.
///
/// Whoever gives an attempt up lets go of it: the thread goes on alone and closes what it may still open.
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

  /// Readable when the attempt has ended.
  var descriptor: Int32 { ended.raw }

  /// How it ended; nil before, and when it was asked already.
  func take() -> Outcome? {
    outcome.withLock { outcome in
      defer { outcome = nil }
      return outcome
    }
  }
}
