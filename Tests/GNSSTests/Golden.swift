import Foundation
import GNSS
import Quantities
import TestSupport
import Testing

struct Place: Sendable {
  var latitude: Double
  var longitude: Double
}

enum Golden {
  /// Every usable position of a recording.
  static func fixes(of name: String) throws -> [Fix] {
    decode([UInt8](try SharedRecordings.contents(of: "gnss/\(name)"))).filter { $0.kind != .none }
  }

  /// The last place that gpsd reports for each time, in milliseconds since 1970.
  static func expected(of name: String) throws -> [Int64: Place] {
    let packed = "gnss/\(name).expected.json.gz"
    let path = SharedRecordings.exists(packed) ? packed : "gnss/\(name).expected.json"
    var places: [Int64: Place] = [:]
    for line in try SharedRecordings.contents(of: path).split(separator: UInt8(ascii: "\n")) {
      guard line.starts(with: Data(#"{"class":"TPV""#.utf8)),
        let report = try JSONSerialization.jsonObject(with: line) as? [String: Any],
        report["mode"] as? Int ?? 0 >= 2, let time = report["time"] as? String,
        let timestamp = Timestamp(iso8601: time),
        let latitude = report["lat"] as? Double, let longitude = report["lon"] as? Double
      else { continue }
      places[timestamp.milliseconds] = Place(latitude: latitude, longitude: longitude)
    }
    return places
  }
}

/// Everything a decoder emits for these bytes, fed in pieces of the given sizes (all at once without).
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
