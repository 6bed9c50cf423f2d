import GNSSProtocol
import GNSSReceiver
import GNSSReport
import Glibc
import Quantities
import System
import Tracking

/// `outrider decode`: converts a receiver recording to gpsd-style JSON lines.
enum DecodeCommand: Command {
  static let name = "decode"
  static let group = CommandGroup.analyse
  static let summary = "convert receiver data to JSON lines"
  static let description = CommandDescription(
    forms: ["[--sky | --summary | --raw] [FILE|-]"],
    text: [
      """
      Decodes a receiver recording (NMEA 0183, UBX and CASIC in any mixture) to JSON lines with gpsd's \
      keys and units.
      """,
      """
      Each epoch becomes a TPV object. A DEVICE object follows when the receiver identifies itself. eph, \
      epv, eps and epd hold with a probability of 68 %. Sentences without a checksum are discarded.
      """,
    ],
    options: [
      .flag("--sky", text: "also print the satellites in view, one SKY object per epoch"),
      .flag(
        "--summary",
        text: """
          print only one object with counts of messages, talkers, errors and fixes, and the time span
          """),
      .flag("--raw", text: "print each decoded message, with the names of its specification"),
      .flag(
        "--as-recorded",
        text: """
          do not correct dates; by default, dates before 2017 move by multiples of 1,024 weeks \
          (week rollover), but never into the future
          """),
      .value(
        "--now", "TIME",
        text: """
          latest possible time for that correction (ISO 8601; default: the system clock)
          """),
    ],
    operands: .file)

  private static let chunk = 65_536

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 1)
    let forms = ["--sky", "--summary", "--raw"].filter(arguments.has)
    guard forms.count <= 1 else {
      throw Arguments.Misuse(message: "\(forms.joined(separator: " and ")) exclude each other")
    }
    var latest = SystemClock.timestamp()
    if let text = arguments.value("--now") {
      guard let now = Timestamp(iso8601: text) else {
        throw Arguments.Misuse(
          message: "--now: expected a time such as 2026-03-01T10:15:02Z, got \"\(text)\"")
      }
      latest = now
    }
    let path = arguments.operands.first ?? "-"
    let rollover = arguments.has("--as-recorded") ? nil : latest
    switch forms.first {
    case "--raw": try list(path)
    case "--summary": try summarise(path, rollover)
    case let form: try report(path, rollover, withSatellites: form != nil)
    }
    return 0
  }

  /// Prints TPV, DEVICE and, if requested, SKY lines.
  private static func report(_ path: String, _ latest: Timestamp?, withSatellites: Bool) throws {
    var decoder = ReceiverDecoder()
    decoder.reportsSatellites = withSatellites
    var lines: [UInt8] = []
    var device: ReceiverIdentity?
    try read(path) { bytes in
      decoder.decode(bytes, at: .zero) { add($0, latest, &device, to: &lines) }
      return lines.count < chunk || flush(&lines)
    }
    decoder.finish { add($0, latest, &device, to: &lines) }
    flush(&lines)
  }

  /// Appends the line of a reception, if it has one. `device` is the last reported identity.
  private static func add(
    _ reception: Reception, _ latest: Timestamp?, _ device: inout ReceiverIdentity?, to lines: inout [UInt8]
  ) {
    switch reception {
    case .epoch(let fix): TPV.append(fix, at: date(fix.timestamp, latest), to: &lines)
    case .satelliteReport(var satelliteReport):
      satelliteReport.timestamp = date(satelliteReport.timestamp, latest)
      SKY.append(satelliteReport, to: &lines)
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

  /// Returns a time of the receiver, corrected for week rollover if `latest` is given.
  private static func date(_ timestamp: Timestamp?, _ latest: Timestamp?) -> Timestamp? {
    guard let timestamp, let latest else { return timestamp }
    return WeekRollover.repair(timestamp, latest: latest)
  }

  /// Reads a file and passes its bytes to `take` chunk by chunk, until it returns false.
  ///
  /// A recording has no timing, so the end of an epoch is found in the bytes alone.
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

  /// Prints and clears the lines. Returns false if standard output accepts no more.
  @discardableResult
  private static func flush(_ lines: inout [UInt8]) -> Bool {
    defer { lines.removeAll(keepingCapacity: true) }
    return Console.write(lines)
  }
}
