import Database
import Foundation
import Store

/// Reads `outrider.db` and `collector.db` with SQL, as other programs do.
enum LogFile {
  /// The times of the locations in the log, in the order of their ids.
  static func times(in directory: String) throws -> [Int64] {
    try column("SELECT time FROM location ORDER BY id", of: "\(directory)/outrider.db")
  }

  static func count(_ table: String, in path: String) throws -> Int {
    Int(try column("SELECT count(*) FROM \(table)", of: path).first ?? 0)
  }

  /// The times of the features of the collector, sorted.
  static func collectedTimes(in directory: String) throws -> [Int64] {
    try column(
      "SELECT time_ms FROM features WHERE time_ms IS NOT NULL ORDER BY time_ms",
      of: "\(directory)/collector.db")
  }

  static func texts(_ query: String, of path: String) throws -> [String] {
    try Connection(path: path, access: .readOnly).rows(query).compactMap { $0.first?.text }
  }

  static func column(_ query: String, of path: String) throws -> [Int64] {
    try Connection(path: path, access: .readOnly).rows(query).compactMap { $0.first?.integer }
  }
}
