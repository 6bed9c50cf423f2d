import Glibc
import Quantities
import System

/// The storage cost of a record: bytes passed to write(2), and flushes.
enum WriteCostMeasurement {
  private static let groups = 2000
  private static let size = 10

  static func run(in directory: String) throws -> [Measurement] {
    try QueueMeasurement.write(groups: 0, of: size, into: directory + "/cost")
    let before = try bytesWritten()
    try QueueMeasurement.write(groups: groups, of: size, into: directory + "/cost")
    let bytes = Double(try bytesWritten() - before) / Double(groups * size)
    return [
      Measurement("bytes written, groups of \(size)", bytes, unit: "bytes/record", wanted: "at most 1700"),
      try flushes(in: directory),
      Measurement(
        "one flush", try flushTime(in: directory) * 1000, unit: "ms",
        note: "1 kB appended to a file; queue waits for one per group, delivery for one per batch"),
    ]
  }

  /// Mean duration in seconds of write(2) of 1 kB with fdatasync(2).
  private static func flushTime(in directory: String) throws -> Double {
    let path = directory + "/flush"
    let file = Descriptor(
      owning: try check("open", on: path, open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)))
    let bytes = [UInt8](repeating: 1, count: 1024)
    let count = 200
    let start = SystemClock.moment()
    for _ in 0..<count {
      try check("write", on: path, write(file.raw, bytes, bytes.count))
      try check("fdatasync", on: path, fdatasync(file.raw))
    }
    return (SystemClock.moment() - start).inSeconds / Double(count)
  }

  /// `wchar` of /proc/self/io (proc(5)).
  private static func bytesWritten() throws -> Int {
    let text = String(decoding: try FileBytes.read("/proc/self/io", limit: 4096), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
    return line.flatMap { Int($0.dropFirst(7)) } ?? 0
  }

  private static func flushes(in directory: String) throws -> Measurement {
    let name = "flushes, groups of \(size)"
    let wanted = "at most 0.3"
    guard ChildProcess.exists("strace"), let program = ProcessEnvironment.executable else {
      return Measurement(name, nil, unit: "per record", wanted: wanted, note: "strace is missing")
    }
    // The cost of opening and closing does not count.
    var counts: [Int] = []
    for groups in [0, groups] {
      let trace = "\(directory)/trace-\(groups)"
      let words = [
        "strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", trace,
        program, "write", "\(directory)/traced-\(groups)", "\(groups)", "\(size)",
      ]
      guard try ChildProcess(words).wait() else {
        return Measurement(name, nil, unit: "per record", wanted: wanted, note: "strace failed")
      }
      let lines = try FileBytes.read(trace, limit: 1 << 26).split(separator: UInt8(ascii: "\n"))
      counts.append(lines.count { String(decoding: $0, as: UTF8.self).contains("sync(") })
    }
    return Measurement(
      name, Double(counts[1] - counts[0]) / Double(groups * size), unit: "per record", wanted: wanted)
  }
}
