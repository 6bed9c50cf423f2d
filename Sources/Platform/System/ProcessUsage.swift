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
    let text = try? FileBytes.read("/proc/self/status", limit: 8192)
    return ProcessUsage(text.map { String(decoding: $0, as: UTF8.self) } ?? "")
  }

  /// Reads the text of `/proc/PID/status`.
  public init(_ text: String) {
    for line in text.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].split(whereSeparator: { $0 == " " || $0 == "\t" }).first
      guard let number = value.flatMap({ Int($0) }), number >= 0 else { continue }
      let bytes = number.multipliedReportingOverflow(by: 1024)
      switch line[..<colon] {
      case "RssAnon": anonymousBytes = bytes.overflow ? nil : bytes.partialValue
      case "VmRSS": residentBytes = bytes.overflow ? nil : bytes.partialValue
      case "Threads": threads = number
      case "voluntary_ctxt_switches": wakeUps = number
      default: break
      }
    }
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
