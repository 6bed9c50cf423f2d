import EventLoop
import Glibc
import System

/// A listening socket on the loop: reports waiting clients and accepts them.
///
/// Without a descriptor for the next client the socket is not watched for a while: the waiting client would wake the
/// loop all the time. A timer ends this pause, because nothing else needs to happen in this process when descriptors
/// are available again: another program may have used up those of the host.
final class ClientQueue {
  /// The pause after the process or the host ran out of descriptors. The kernel keeps the clients that wait.
  static let pause = Duration.seconds(1)

  private let loop: EventLoop
  private let descriptor: Descriptor
  private var registration: EventLoop.Registration?
  private var timer: LoopTimer?
  /// True while the owner has no room for another client.
  var isFull = false { didSet { if isFull != oldValue { follow() } } }
  private var isExhausted = false { didSet { if isExhausted != oldValue { follow() } } }

  /// Watches a socket that listens. `ready` is called when a client waits for ``accept()``.
  init(loop: EventLoop, _ descriptor: consuming Descriptor, _ ready: @escaping () -> Void) throws(SystemError)
  {
    self.loop = loop
    self.descriptor = descriptor
    timer = loop.addTimer("waiting clients") { [weak self] _ in self?.isExhausted = false }
    registration = try loop.watch(self.descriptor.raw, for: .readable) { _ in ready() }
  }

  deinit { stop() }

  /// Ends to watch the socket, which closes with its last reference.
  func stop() {
    if let registration { loop.remove(registration) }
    if let timer { loop.removeTimer(timer) }
    (registration, timer) = (nil, nil)
  }

  private func follow() {
    guard let registration else { return }
    do throws(SystemError) {
      try loop.change(registration, to: isFull || isExhausted ? [] : .readable)
      timer?.arm(after: isExhausted ? Self.pause : nil)
    } catch {
      // The kernel had no memory for the change: tried again.
      timer?.arm(after: Self.pause)
    }
  }

  /// Accepts the next client; nil if none waits, or if the process or the host has no descriptor or memory for it. The
  /// socket does not block.
  func accept() -> Descriptor? {
    let raw = Glibc.accept(descriptor.raw, nil, nil)
    if raw >= 0 {
      _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
      _ = fcntl(raw, F_SETFL, O_NONBLOCK)
      return Descriptor(owning: raw)
    }
    switch errno {
    case EAGAIN, EINTR: break
    // Errors of a client that left, or of the network: it is gone (accept(2)).
    case ECONNABORTED, EPERM, EPROTO, ENETDOWN, ENETUNREACH, ENONET, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH,
      EOPNOTSUPP,
      ETIMEDOUT:
      break
    // EMFILE, ENFILE, ENOBUFS, ENOMEM; others would come again at once, too.
    case _: isExhausted = true
    }
    return nil
  }
}
