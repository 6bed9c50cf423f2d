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
}
