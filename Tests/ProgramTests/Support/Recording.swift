import Foundation
import GNSSProtocol
import Quantities
import Simulation
import TestSupport

/// The input of a serial line, and the epochs that it must produce.
struct Recording: Sendable {
  /// The bytes of each epoch.
  var pieces: [Feeder.Piece]
  /// The times of the valid epochs in order, with the number of bytes after which each is complete.
  var epochs: [(time: Timestamp, endsAt: Int)]

  /// The first `epochs` of the drive in `gnss/ublox-f9k-drive-29min.nmea`, or all of them.
  static func drive(epochs: Int? = nil) throws -> Recording {
    let bytes = [UInt8](try SharedRecordings.contents(of: "gnss/ublox-f9k-drive-29min.nmea"))
    return Recording(bytes, pieceStart: Array("$GNRMC".utf8), limit: epochs)
  }

  /// A simulated drive, one epoch a second.
  static func simulated(epochs: Int, from start: String = "2026-03-01T10:00:00Z") -> Recording {
    var receiver = VirtualReceiver(route: .berlin, seed: 7)
    let begin = Timestamp(iso8601: start) ?? Timestamp(milliseconds: 0)
    var bytes: [UInt8] = []
    for second in 0..<epochs { bytes += receiver.epoch(at: begin + .seconds(second)) }
    return Recording(bytes, pieceStart: Array("$GNRMC".utf8), limit: nil)
  }

  /// Cuts before each `pieceStart`, into at most `limit` pieces.
  private init(_ bytes: [UInt8], pieceStart: [UInt8], limit: Int?) {
    var starts: [Int] = []
    var rest = bytes[...]
    while let found = rest.firstRange(of: pieceStart), starts.count <= limit ?? .max {
      starts.append(found.lowerBound)
      rest = rest[found.upperBound...]
    }
    if starts.count <= limit ?? .max { starts.append(bytes.count) }
    pieces = zip(starts, starts.dropFirst()).map { Feeder.Piece(bytes: Array(bytes[$0..<$1])) }

    // The end of the last sentence with each time of day.
    var ends: [String: Int] = [:]
    var end = 0
    for piece in pieces {
      end += piece.bytes.count
      for field in String(decoding: piece.bytes, as: UTF8.self).split(separator: ",")
      where field.utf8.count == 9 && field.utf8.dropFirst(6).first == UInt8(ascii: ".") {
        ends[String(field)] = end
      }
    }
    var fixes: [Fix] = []
    var decoder = ReceiverDecoder()
    for piece in pieces {
      piece.bytes.withUnsafeBytes {
        decoder.decode($0, at: .zero) { if let fix = $0.fix { fixes.append(fix) } }
      }
    }
    decoder.finish { if let fix = $0.fix { fixes.append(fix) } }
    epochs = fixes.compactMap { fix in
      guard fix.kind != .none, let time = fix.timestamp else { return nil }
      return (time, ends[Self.clockText(time)] ?? end)
    }
  }

  /// `hhmmss.ss`
  private static func clockText(_ time: Timestamp) -> String {
    var text: [UInt8] = []
    let ofDay = Int(time.millisecondOfDay)
    text.appendPadded(ofDay / 3_600_000 * 10_000 + ofDay / 60_000 % 60 * 100 + ofDay / 1000 % 60, digits: 6)
    text.append(UInt8(ascii: "."))
    text.appendPadded(ofDay % 1000 / 10, digits: 2)
    return String(decoding: text, as: UTF8.self)
  }

  var times: [Int64] { epochs.map { $0.time.milliseconds } }
}
