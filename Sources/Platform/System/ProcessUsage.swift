import Glibc
import Quantities

/// The memory and the threads of this process, and the wake-ups of its main thread (`/proc/self/status`, proc(5)).
/// Values that the kernel does not report are nil.
public struct ProcessUsage: Equatable, Sendable {
  /// Anonymous memory that is resident (`RssAnon`).
  public private(set) var anonymousBytes: Int?
  /// All resident memory (`VmRSS`).
  public private(set) var residentBytes: Int?
  public private(set) var threads: Int?
  /// The voluntary context switches of the main thread.
  public private(set) var wakeUps: Int?

  public static func now() -> ProcessUsage {
    ProcessUsage((try? FileBytes.read("/proc/self/status", limit: 8192)) ?? [])
  }

  /// Reads the text of `/proc/PID/status`.
  public init(_ text: [UInt8]) {
    let lines = KernelLines(text)
    anonymousBytes = lines.kibibytes("RssAnon")
    residentBytes = lines.kibibytes("VmRSS")
    threads = lines.number("Threads")
    wakeUps = lines.number("voluntary_ctxt_switches")
  }

  /// The start of this process (field 22 of `/proc/self/stat`); nil if it cannot be read.
  public static func start() -> Moment? {
    let text = try? FileBytes.read("/proc/self/stat", limit: 4096)
    return text.flatMap {
      start(of: String(decoding: $0, as: UTF8.self), ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  /// Reads the text of `/proc/PID/stat`. The name of the program, in parentheses, may contain anything.
  static func start(of stat: String, ticksPerSecond: Int) -> Moment? {
    guard ticksPerSecond > 0, let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 19, let ticks = Int64(fields[19]), ticks >= 0 else { return nil }
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: Int64(ticksPerSecond))
    return Moment.zero + .seconds(seconds) + Duration.seconds(rest) / ticksPerSecond
  }
}
