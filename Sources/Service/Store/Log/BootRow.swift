import Database
import Quantities

/// A boot of the host and the offset of its boot clock from UTC: a row of the table `boot`.
struct BootRow: Equatable {
  static let label = "boot"
  static let columnCount = 6

  var number: Int64
  /// Id of the boot, from `/proc/sys/kernel/random/boot_id`; empty after damage.
  var bootID: String
  /// The lowest id that this boot may have assigned.
  var firstID: Int64
  /// UTC minus boot clock in ms; nil until the time is known.
  var offset: Int64?
  var quality: ClockQuality = .none

  init(number: Int64, bootID: String, firstID: Int64) {
    self.number = number
    self.bootID = bootID
    self.firstID = firstID
  }

  /// Reads a row; nil if the checksum does not match, or a number is out of range.
  init?(_ row: [ColumnValue]) {
    guard row.count == Self.columnCount, row[5] == .integer(Checksum.of(row[..<5], label: Self.label)),
      let number = row[0].id, let bootID = row[1].text, let firstID = row[2].id,
      row[3] == .null
        || row[3].milliseconds.map({ $0.magnitude < UInt64(LogSchema.firstImplausible) }) ?? false,
      let quality = row[4].integer.flatMap(UInt8.init(exactly:)).flatMap(ClockQuality.init(rawValue:))
    else { return nil }
    self.number = number
    self.bootID = bootID
    self.firstID = firstID
    self.quality = quality
    offset = row[3].integer
  }

  static let selection = "SELECT number, boot_id, first_id, offset_ms, quality, crc FROM boot"

  func save(to connection: Connection) throws(DatabaseError) {
    var row: [ColumnValue] = [
      .integer(number), .text(bootID), .integer(firstID), .optional(offset),
      .integer(Int64(quality.rawValue)),
    ]
    row.append(.integer(Checksum.of(row, label: Self.label)))
    try connection.run(
      "INSERT OR REPLACE INTO boot (number, boot_id, first_id, offset_ms, quality, crc) VALUES (?, ?, ?, ?, ?, ?)",
      row)
  }

  /// The UTC time of a moment of this boot; nil until the time is known.
  func time(of moment: Moment) -> Timestamp? {
    offset.map { Timestamp(milliseconds: moment.nanoseconds / 1_000_000) + .milliseconds($0) }
  }
}
