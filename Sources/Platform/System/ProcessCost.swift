import Quantities

/// Resources used by this process since its start.
public struct ProcessCost: Equatable, Sendable {
  /// Processor time of all threads (`CLOCK_PROCESS_CPUTIME_ID`).
  public var processor: Duration
  /// Bytes written to storage (`write_bytes` of proc_pid_io(5)); nil if the kernel does not count them.
  public var bytesWritten: Int64?

  public init(processor: Duration, bytesWritten: Int64?) {
    (self.processor, self.bytesWritten) = (processor, bytesWritten)
  }

  public static func sinceStart() -> ProcessCost {
    let counters = try? FileBytes.read("/proc/self/io", limit: 4096)
    return ProcessCost(
      processor: SystemClock.processTime(),
      bytesWritten: counters.flatMap { bytesWritten(of: String(decoding: $0, as: UTF8.self)) })
  }

  /// The bytes that the calling thread has written to storage since its start; nil if the kernel does not count them.
  public static func bytesWrittenByThread() -> Int64? {
    let counters = try? FileBytes.read("/proc/thread-self/io", limit: 4096)
    return counters.flatMap { bytesWritten(of: String(decoding: $0, as: UTF8.self)) }
  }

  static func bytesWritten(of counters: String) -> Int64? {
    for line in counters.split(separator: "\n") where line.hasPrefix("write_bytes:") {
      return Int64(line.dropFirst("write_bytes:".count).drop { $0 == " " })
    }
    return nil
  }
}
