import GNSS
import Glibc
import Quantities
import SystemLoop
import Tracking

/// `outrider decode`: any receiver recording to gpsd-style JSON lines.
enum DecodeCommand: Command {
  static let name = "decode"
  static let summary = "turn a receiver's bytes into gpsd-style JSON lines"
  static let help = """
    Usage: outrider decode [--as-recorded] [--now TIME] [FILE|-]

    Reads what a receiver sent (NMEA 0183 and UBX in any mixture) and prints one TPV object for each epoch, with
    gpsd's key names and units. Sentences without a checksum are not believed.

      --as-recorded   leave dates alone; otherwise a date before 2017 is taken for a missed rollover of the
                      GPS week and moved by 1,024 weeks, unless that would lie in the future
      --now TIME      what "in the future" is measured against (ISO 8601), instead of the system clock
    """

  private static let chunk = 65_536

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ["--now"], flags: ["--as-recorded"])
    try arguments.checkOperands(atMost: 1)
    var latest = WeekRollover.latest(systemClock: SystemClock.timestamp())
    if let text = arguments.value("--now") {
      guard let now = Timestamp(iso8601: text) else {
        throw Arguments.Misuse(message: "--now wants a time such as 2026-03-01T10:15:02Z, not \"\(text)\"")
      }
      latest = now
    }
    let repair: (Fix) -> Fix = { fix in
      var fix = fix
      fix.timestamp = fix.timestamp.map { WeekRollover.repair($0, latest: latest) }
      return fix
    }
    let path = arguments.operands.first ?? "-"
    return try decode(path, arguments.has("--as-recorded") ? { $0 } : repair)
  }

  private static func decode(_ path: String, _ date: (Fix) -> Fix) throws -> Int32 {
    let file = Descriptor(
      owning: path == "-" ? dup(STDIN_FILENO) : try check("open", on: path, open(path, O_RDONLY | O_CLOEXEC)))
    var decoder = ReceiverDecoder()
    var lines: [UInt8] = []
    lines.reserveCapacity(2 * chunk)
    let print: (Reception) -> Void = { reception in
      if case .epoch(let fix) = reception { TPV.append(date(fix), to: &lines) }
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(file.raw, buffer.baseAddress, chunk)
      if count < 0, errno == EINTR { continue }
      try check("read", on: path, count)
      if count == 0 { break }
      // A recording has no pace: the end of an epoch is found in the bytes alone.
      decoder.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: .zero, print)
      guard lines.count < chunk || flush(&lines) else { return 0 }
    }
    decoder.finish(print)
    flush(&lines)
    return 0
  }

  /// False when the reader of standard output has left.
  @discardableResult
  private static func flush(_ lines: inout [UInt8]) -> Bool {
    defer { lines.removeAll(keepingCapacity: true) }
    return Console.write(lines)
  }
}
