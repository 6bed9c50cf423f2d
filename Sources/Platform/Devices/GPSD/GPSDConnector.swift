import EventLoop
import Quantities

/// The connection to gpsd: opened on another thread, watched by the loop, and closed.
///
/// There is one attempt to connect or one connection at most.
final class GPSDConnector {
  /// Handlers, set before ``open()``.
  struct Outputs {
    /// The attempt to connect succeeded.
    var opened: (Moment) -> Void = { _ in }
    /// The attempt to connect failed.
    var failed: (GPSDFailure, Moment) -> Void = { _, _ in }
    /// Lines can be read, or gpsd has hung up.
    var readable: (_ isHungUp: Bool, Moment) -> Void = { _, _ in }
  }

  private enum State {
    case closed
    case opening(GPSDOpening, EventLoop.Registration)
    case open(GPSDConnection, EventLoop.Registration)
  }

  let host: String
  let port: UInt16
  var outputs = Outputs()
  private let loop: EventLoop
  private var state = State.closed

  init(loop: EventLoop, host: String, port: UInt16) {
    self.loop = loop
    self.host = host
    self.port = port
  }

  /// The connection; nil unless open.
  var connection: GPSDConnection? {
    guard case .open(let connection, _) = state else { return nil }
    return connection
  }

  var isOpen: Bool { if case .open = state { true } else { false } }

  /// Starts an attempt to connect.
  func open() {
    do {
      let attempt = try GPSDOpening(host: host, port: port)
      let registration = try loop.watch(attempt.descriptor, for: .readable) { [unowned self] _ in
        takeConnection()
      }
      state = .opening(attempt, registration)
    } catch {
      outputs.failed(.system(error), loop.now)
    }
  }

  /// Closes the connection, or abandons the attempt to connect: its thread ends by itself.
  func close() {
    switch state {
    case .closed: break
    case .opening(_, let registration), .open(_, let registration): loop.remove(registration)
    }
    state = .closed
  }

  private func takeConnection() {
    guard case .opening(let attempt, _) = state, let outcome = attempt.take() else { return }
    close()
    let now = loop.now
    switch outcome {
    case .failure(let failure): outputs.failed(failure, now)
    case .success(let connection):
      do {
        let registration = try loop.watch(connection.raw, for: .readable) { [unowned self] readiness in
          outputs.readable(readiness.contains(.hangup), loop.now)
        }
        state = .open(connection, registration)
      } catch {
        return outputs.failed(.system(error), now)
      }
      outputs.opened(now)
    }
  }
}
