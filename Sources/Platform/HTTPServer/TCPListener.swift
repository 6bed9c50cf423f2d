import EventLoop
import Glibc
import System

/// A listening TCP socket on the loop, for protocols other than HTTP.
public final class TCPListener {
  private let queue: ClientQueue
  /// The address with its actual port.
  public let address: ListenAddress

  /// Opens the socket. `ready` is called when a client waits for ``accept()``. Throws if the address cannot be served.
  public init(
    loop: EventLoop, address: String, port: UInt16, _ ready: @escaping () -> Void
  ) throws(HTTPServerError) {
    let descriptor = try ListeningSocket.tcp(address: address, port: port)
    self.address = .tcp(address: address, port: ListeningSocket.port(of: descriptor.raw) ?? port)
    do throws(SystemError) {
      queue = try ClientQueue(loop: loop, descriptor, ready)
    } catch { throw .system(error) }
  }

  /// Ends to report clients; the socket closes with the last reference.
  public func stop() { queue.stop() }

  deinit { stop() }

  /// Accepts the next client; nil if none waits, or if there is no descriptor for it: `ready` is called again after a
  /// pause. The kernel disconnects a client that does not respond for a minute, and buffers little for it.
  public func accept() -> Descriptor? {
    guard let descriptor = queue.accept() else { return nil }
    ClientSocket.prepareForStream(descriptor.raw)
    return descriptor
  }
}
