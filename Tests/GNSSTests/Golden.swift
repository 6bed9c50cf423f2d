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

  /// The last position that gpsd reports for each time, in milliseconds since 1970.
  static func expected(of name: String) throws -> [Int64: Place] {
    var places: [Int64: Place] = [:]
    for report in try reports(of: name) {
      guard let place = place(in: report), let time = report["time"] as? String,
        let timestamp = Timestamp(iso8601: time)
      else { continue }
      places[timestamp.milliseconds] = place
    }
    return places
  }

  /// The position of each gpsd report in order, including those without a time; nil for none.
  static func placesInOrder(of name: String) throws -> [Place?] { try reports(of: name).map(place) }

  private static func place(in report: [String: Any]) -> Place? {
    guard report["mode"] as? Int ?? 0 >= 2, let latitude = report["lat"] as? Double,
      let longitude = report["lon"] as? Double
    else { return nil }
    return Place(latitude: latitude, longitude: longitude)
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
