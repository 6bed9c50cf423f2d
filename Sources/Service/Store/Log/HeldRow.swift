import Database
import Quantities
import Records

/// A held record of a destination: a row of the table `held`.
struct HeldRow: Equatable {
  static let label = "held"
  static let columnCount = 8

  let destination: String
  var record: HeldRecord
  /// The boot and the boot clock of the last change.
  var boot: Int64
  var moment: Int64

  init(destination: String, record: HeldRecord, boot: Int64, moment: Int64) {
    self.destination = destination
    self.record = record
    self.boot = boot
    self.moment = moment
  }

  /// Reads a row; nil if the checksum does not match, or a number is out of range.
  init?(_ row: [ColumnValue]) {
    guard row.count == Self.columnCount, row[7] == .integer(Checksum.of(row[..<7], label: Self.label)),
      let destination = row[0].text, let id = row[1].id, row[2].isOptionalID,
      let refusals = row[3].integer.flatMap(Int.init(exactly:)), refusals >= 0,
      let isSetAside = row[4].integer, let boot = row[5].integer, let moment = row[6].integer
    else { return nil }
    self.destination = destination
    record = HeldRecord(id: RecordID(id), from: row[2].integer.map { RecordID($0) })
    record.refusals = refusals
    record.isSetAside = isSetAside != 0
    self.boot = boot
    self.moment = moment
  }

  static let selection = "SELECT destination, id, first, refusals, set_aside, boot, moment_ns, crc FROM held"

  func save(to connection: Connection) throws(DatabaseError) {
    var row: [ColumnValue] = [
      .text(destination), .integer(record.id.rawValue), .optional(record.from?.rawValue),
      .integer(Int64(record.refusals)), .integer(record.isSetAside ? 1 : 0), .integer(boot), .integer(moment),
    ]
    row.append(.integer(Checksum.of(row, label: Self.label)))
    try connection.run(
      """
      INSERT OR REPLACE INTO held (destination, id, first, refusals, set_aside, boot, moment_ns, crc)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """, row)
  }
}
