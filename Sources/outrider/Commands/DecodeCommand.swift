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
    Usage: outrider decode [--as-recorded] [--now TIME] [--sky | --summary | --raw] [FILE|-]

    Reads what a receiver sent (NMEA 0183, UBX and CASIC in any mixture) and prints one TPV object for each epoch and
    a DEVICE object where the receiver says who it is, with gpsd's key names and units. eph, epv, eps and epd hold
    with 68 %. Sentences without a checksum are not believed.

      --sky           print the satellites in view too, one SKY object an epoch
      --summary       print nothing but one object that counts messages, talkers, errors and fixes, with the time span
      --raw           print each message decoded instead, with the names of its own specification
      --as-recorded   leave dates alone; otherwise a date before 2017 is taken for a missed rollover of the
                      GPS week and moved by 1,024 weeks or a multiple, unless that would lie in the future
      --now TIME      what "in the future" is measured against (ISO 8601), instead of the system clock
    """

  private static let chunk = 65_536

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ["--now"], flags: ["--as-recorded", "--sky", "--summary", "--raw"])
    try arguments.checkOperands(atMost: 1)
    let forms = ["--sky", "--summary", "--raw"].filter(arguments.has)
    guard forms.count <= 1 else {
      throw Arguments.Misuse(message: "\(forms.joined(separator: " and ")) do not go together")
    }
    var latest = SystemClock.timestamp()
    if let text = arguments.value("--now") {
      guard let now = Timestamp(iso8601: text) else {
        throw Arguments.Misuse(message: "--now wants a time such as 2026-03-01T10:15:02Z, not \"\(text)\"")
      }
      latest = now
    }
    let path = arguments.operands.first ?? "-"
    let rollover = arguments.has("--as-recorded") ? nil : latest
    switch forms.first {
    case "--raw": try list(path)
    case "--summary": try summarise(path, rollover)
    case let form: try report(path, rollover, withSky: form != nil)
    }
    return 0
  }

  /// TPV, DEVICE and, if asked for, SKY lines.
  private static func report(_ path: String, _ latest: Timestamp?, withSky: Bool) throws {
    var decoder = ReceiverDecoder()
    decoder.reportsSky = withSky
    var lines: [UInt8] = []
    var device: ReceiverIdentity?
    try read(path) { bytes in
      decoder.decode(bytes, at: .zero) { add($0, latest, &device, to: &lines) }
      return lines.count < chunk || flush(&lines)
    }
    decoder.finish { add($0, latest, &device, to: &lines) }
    flush(&lines)
  }

  /// One line, or none. `device` is the last one reported.
  private static func add(
    _ reception: Reception, _ latest: Timestamp?, _ device: inout ReceiverIdentity?, to lines: inout [UInt8]
  ) {
    switch reception {
    case .epoch(let fix): TPV.append(fix, at: date(fix.timestamp, latest), to: &lines)
    case .sky(var sky):
      sky.timestamp = date(sky.timestamp, latest)
      SKY.append(sky, to: &lines)
    case .answer(.version(let identity)) where identity != device:
      device = identity
      DEVICE.append(identity, to: &lines)
    case .answer(.foreign(.sirfBinary)): Console.complain(SirfBinary.explanation)
    case .answer: break
    }
  }

  private static func summarise(_ path: String, _ latest: Timestamp?) throws {
    var decoder = ReceiverDecoder()
    decoder.reportsEpochs = false
    var size: UInt64 = 0
    try read(path) { bytes in
      size += UInt64(bytes.count)
      decoder.decode(bytes, at: .zero) { _ in }
      return true
    }
    decoder.finish { _ in }
    var summary = decoder.summary
    if let latest { summary.correctDates { WeekRollover.repair($0, latest: latest) } }
    var lines: [UInt8] = []
    summary.append(decoder.statistics, bytes: size, to: &lines)
    flush(&lines)
  }

  private static func list(_ path: String) throws {
    var listing = MessageListing()
    var lines: [UInt8] = []
    try read(path) { bytes in
      listing.list(bytes, into: &lines)
      return flush(&lines)
    }
    listing.finish(into: &lines)
    flush(&lines)
  }

  /// A time of the receiver with the week it must have been, unless it is to stay as recorded.
  private static func date(_ timestamp: Timestamp?, _ latest: Timestamp?) -> Timestamp? {
    guard let timestamp, let latest else { return timestamp }
    return WeekRollover.repair(timestamp, latest: latest)
  }

  /// Hands the bytes of a file over piece by piece, until `take` answers false. A recording has no pace: the end of an
  /// epoch is found in the bytes alone.
  private static func read(_ path: String, _ take: (UnsafeRawBufferPointer) -> Bool) throws {
    let file = Descriptor(
      owning: path == "-" ? dup(STDIN_FILENO) : try check("open", on: path, open(path, O_RDONLY | O_CLOEXEC)))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = Glibc.read(file.raw, buffer.baseAddress, chunk)
      if count < 0, errno == EINTR { continue }
      try check("read", on: path, count)
      guard count > 0, take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
    }
  }

  /// False when standard output takes no more.
  @discardableResult
  private static func flush(_ lines: inout [UInt8]) -> Bool {
    defer { lines.removeAll(keepingCapacity: true) }
    return Console.write(lines)
  }
}
