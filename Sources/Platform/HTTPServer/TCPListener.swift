import EventLoop
import Glibc
import System

/// A listening TCP socket on the loop, for protocols other than HTTP.
public final class TCPListener {
  private let loop: EventLoop
  private let descriptor: Descriptor
  private var registration: EventLoop.Registration?
  /// The address with its actual port.
  public let address: ListenAddress

  /// Opens the socket. `ready` is called when a client waits for ``accept()``. Throws if the address cannot be served.
  public init(
    loop: EventLoop, address: String, port: UInt16, _ ready: @escaping () -> Void
  ) throws(HTTPServerError) {
    self.loop = loop
    descriptor = try ListeningSocket.tcp(address: address, port: port)
    self.address = .tcp(address: address, port: ListeningSocket.port(of: descriptor.raw) ?? port)
    do throws(SystemError) {
      registration = try loop.watch(descriptor.raw, for: .readable) { _ in ready() }
    } catch { throw .system(error) }
  }

  /// Closes the socket.
  public func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  deinit { stop() }

  /// Begins or ends to report waiting clients.
  public func setPaused(_ isPaused: Bool) {
    if let registration { try? loop.change(registration, to: isPaused ? [] : .readable) }
  }

  /// The result of ``accept()``.
  public enum Arrival: ~Copyable {
    /// A socket that does not block.
    case client(Descriptor)
    case nobody
    /// The process or the host has no descriptor for it.
    case exhausted
  }

  /// Accepts the next client. The kernel disconnects it if it does not respond for a minute, and buffers little for it.
  public func accept() -> Arrival {
    let raw = Glibc.accept(descriptor.raw, nil, nil)
    if raw >= 0 {
      _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
      _ = fcntl(raw, F_SETFL, O_NONBLOCK)
      ClientSocket.prepareForStream(raw)
      return .client(Descriptor(owning: raw))
    }
    switch errno {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
    default: return .nobody
    }
  }
}
