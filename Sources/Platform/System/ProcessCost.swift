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
      bytesWritten: counters.flatMap(bytesWritten))
  }

  /// The bytes that the calling thread has written to storage since its start; nil if the kernel does not count them.
  public static func bytesWrittenByThread() -> Int64? {
    let counters = try? FileBytes.read("/proc/thread-self/io", limit: 4096)
    return counters.flatMap(bytesWritten)
  }

  static func bytesWritten(of counters: [UInt8]) -> Int64? {
    KernelLines(counters).number("write_bytes").map { Int64($0) }
  }
}
