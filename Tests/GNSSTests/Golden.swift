import Foundation
import GNSSProtocol
import GNSSReport
import Quantities
import TestSupport
import Testing

struct ExpectedPosition: Sendable {
  var latitude: Double
  var longitude: Double
}

enum Golden {
  /// Every usable position of a recording.
  static func fixes(of name: String) throws -> [Fix] {
    decode([UInt8](try SharedRecordings.contents(of: "gnss/\(name)"))).filter { $0.kind != .none }
  }

  /// The last position that gpsd reports for each time, in milliseconds since 1970.
  static func expected(of name: String) throws -> [Int64: ExpectedPosition] {
    var positions: [Int64: ExpectedPosition] = [:]
    for report in try reports(of: name) {
      guard let position = position(in: report), let time = report["time"] as? String,
        let timestamp = Timestamp(iso8601: time)
      else { continue }
      positions[timestamp.milliseconds] = position
    }
    return positions
  }

  /// The position of each gpsd report in order, including those without a time; nil for none.
  static func positionsInOrder(of name: String) throws -> [ExpectedPosition?] {
    try reports(of: name).map(position)
  }

  private static func position(in report: [String: Any]) -> ExpectedPosition? {
    guard report["mode"] as? Int ?? 0 >= 2, let latitude = report["lat"] as? Double,
      let longitude = report["lon"] as? Double
    else { return nil }
    return ExpectedPosition(latitude: latitude, longitude: longitude)
  }

  private static func reports(of name: String) throws -> [[String: Any]] {
    let packed = "gnss/\(name).expected.json.gz"
    let path = SharedRecordings.exists(packed) ? packed : "gnss/\(name).expected.json"
    return try SharedRecordings.contents(of: path).split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard line.starts(with: Data(#"{"class":"TPV""#.utf8)) else { return nil }
      return try JSONSerialization.jsonObject(with: line) as? [String: Any]
    }
  }
}

/// The complete output of a decoder for these bytes, fed in pieces of the given sizes (in one piece by
/// default).
func decode(_ bytes: [UInt8], pieces: () -> Int = { .max }) -> [Fix] {
  var decoder = ReceiverDecoder()
  var fixes: [Fix] = []
  bytes.withUnsafeBytes { bytes in
    var start = 0
    while start < bytes.count {
      let count = min(max(pieces(), 1), bytes.count - start)
      decoder.decode(
        UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]), at: .zero
      ) { if let fix = $0.fix { fixes.append(fix) } }
      start += count
    }
  }
  decoder.finish { if let fix = $0.fix { fixes.append(fix) } }
  return fixes
}
