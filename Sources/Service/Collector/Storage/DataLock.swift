import Glibc
import System

/// The lock of a data directory, held by one collector; the kernel releases it when the process ends (flock(2)).
final class DataLock {
  private let descriptor: Descriptor

  /// Acquires the lock. Throws ``CollectorError/inUse(directory:)`` while another collector or a logger holds it.
  init(_ directory: String) throws(CollectorError) {
    let opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else {
      throw .directory(SystemError(call: "open", subject: directory, number: errno))
    }
    descriptor = Descriptor(owning: opened)
    guard flock(descriptor.raw, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK
        ? .inUse(directory: directory)
        : .directory(SystemError(call: "flock", subject: directory, number: errno))
    }
  }
}
