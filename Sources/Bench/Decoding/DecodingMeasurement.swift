import FoundationEssentials
import GNSS
import Quantities
import SystemLoop

/// How fast recorded NMEA is decoded, alone and with the text of `outrider decode`.
enum DecodingMeasurement {
  private static let least = Duration.seconds(2)
  private static let chunk = 65_536

  static func run() throws -> [Measurement] {
    let names = ["decoding", "decoding, with TPV text"]
    let shared = ProcessSurroundings.variable("OUTRIDER_SHARED") ?? "../shared"
    let recordings = try recordings(in: shared + "/gnss")
    guard !recordings.isEmpty else {
      let note = "skipped: no recordings in \(shared)/gnss; OUTRIDER_SHARED names the directory above it"
      return names.map { Measurement($0, nil, unit: "MB/s", note: note) }
    }
    let bytes = recordings.reduce(0) { $0 + $1.count }
    return [
      Measurement(
        names[0], rate(recordings, withText: false), unit: "MB/s",
        note: "\(recordings.count) recordings, \(bytes) bytes, in memory"),
      Measurement(names[1], rate(recordings, withText: true), unit: "MB/s"),
    ]
  }

  private static func recordings(in directory: String) throws -> [[UInt8]] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return try names.filter { $0.hasSuffix(".nmea") }.sorted().map { name in
      try FileBytes.read("\(directory)/\(name)", limit: 1 << 26)
    }
  }

  private static func rate(_ recordings: [[UInt8]], withText: Bool) -> Double {
    var text: [UInt8] = []
    text.reserveCapacity(2 * chunk)
    var fixes = 0
    let emit: (Reception) -> Void = { reception in
      guard case .epoch(let fix) = reception else { return }
      fixes += 1
      guard withText else { return }
      if text.count > chunk { text.removeAll(keepingCapacity: true) }
      TPV.append(fix, to: &text)
    }
    let start = SystemClock.moment()
    var bytes = 0
    var elapsed = Duration.zero
    while elapsed < least {
      for recording in recordings {
        decode(recording, emit)
        bytes += recording.count
      }
      elapsed = SystemClock.moment() - start
    }
    return Double(bytes) / 1e6 / elapsed.inSeconds
  }

  private static func decode(_ recording: [UInt8], _ emit: (Reception) -> Void) {
    var decoder = ReceiverDecoder()
    recording.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        decoder.decode(UnsafeRawBufferPointer(rebasing: rest.prefix(chunk)), at: .zero, emit)
        rest = rest.dropFirst(chunk)
      }
    }
    decoder.finish(emit)
  }
}
