import CLinux
import Glibc

/// Signals received through a descriptor (`signalfd`), so that they are handled between two events and never
/// within one.
public final class SignalDescriptor {
  private let descriptor: Descriptor

  /// Blocks `signals` for the calling thread and for every thread that it starts later: create it first.
  public init(_ signals: [Int32]) throws(SystemError) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    let refused = pthread_sigmask(SIG_BLOCK, &set, nil)
    guard refused == 0 else { throw SystemError(call: "pthread_sigmask", number: refused) }
    descriptor = Descriptor(
      owning: try check("signalfd", signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))))
  }

  public var raw: Int32 { descriptor.raw }

  /// The next received signal; nil if there is none.
  public func next() -> Int32? {
    var received = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor.raw, &received, size) == size else { return nil }
    return Int32(bitPattern: received.ssi_signo)
  }
}
