import CLinux
import Glibc

/// The limits that a child process of the logger sets on itself.
public enum ChildConfinement {
  /// The time in s after the end of the parent in which the child may end by itself.
  private static let grace: UInt32 = 2

  /// Names the process for `ps`, limits its memory to `memory` bytes more than it has, and lets it end with its parent.
  ///
  /// It ignores the signals that a service manager and a terminal send to all processes: the parent ends it. A limit
  /// that the system refuses is left out.
  public static func apply(name: String, memory: UInt) {
    let size = addressSpace
    outrider_name_thread(name)
    for ignored in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(ignored, SIG_IGN) }
    // A child that hangs cannot notice the end of its parent.
    signal(SIGUSR1) { _ in alarm(ChildConfinement.grace) }
    outrider_follow_parent(SIGUSR1)
    outrider_hide_memory()
    outrider_use_one_heap()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    guard let size else { return }
    let (limit, overflows) = size.addingReportingOverflow(memory)
    guard !overflows else { return }
    var most = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &most)
  }

  /// The size of the address space in bytes: the first number of `/proc/self/statm`, in pages (proc(5)).
  private static var addressSpace: UInt? {
    var buffer = [UInt8](repeating: 0, count: 128)
    let file = Descriptor(owning: open("/proc/self/statm", O_RDONLY | O_CLOEXEC))
    let count = read(file.raw, &buffer, buffer.count)
    let digits = buffer.prefix(max(count, 0)).prefix { (0x30...0x39).contains($0) }
    let size = sysconf(Int32(_SC_PAGESIZE))
    guard size > 0, let pages = UInt(String(decoding: digits, as: UTF8.self)) else { return nil }
    let (bytes, overflows) = pages.multipliedReportingOverflow(by: UInt(size))
    return overflows ? nil : bytes
  }
}
