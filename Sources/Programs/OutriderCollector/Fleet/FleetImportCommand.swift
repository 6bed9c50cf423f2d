import Database
import FleetRecords
import FleetStore
import PostgreSQL
import Quantities
import System
import UploadReader

/// `outrider-collector fleet import`: copies the records of a household's collector (`outrider collect`) into the fleet.
///
/// It may be interrupted and repeated: a record that is there already is not stored again.
enum FleetImportCommand {
  private static let portion: Int64 = 1000
  /// The number of rejected records that are described.
  private static let mostReasons = 10

  static let action = FleetCommand.Action(
    name: "import", usage: "FILE.db [--device NAME]", summary: "import the database of outrider collect",
    options: [
      CommandOption(
        name: "--device", placeholder: "NAME", text: "the device of records that have no device_id")
    ], operands: 1...1
  ) { database, arguments in
    let path = arguments.operands[0]
    let source = try open(path)
    var tally = Tally()
    let target = try RecordImport(database, now: SystemClock.timestamp())
    try copy(source, to: target, unnamed: arguments.value("--device"), &tally)
    let stored = try target.counts()
    let text = arguments.has("--json") ? tally.json(stored) : tally.text(stored)
    if let fault = tally.fault(stored) {
      throw FleetCommand.Failure(description: "\(path): \(fault)\n\(text)")
    }
    return text
  }

  private static func open(_ path: String) throws -> Connection {
    let source = try Connection(path: path, access: .readOnly)
    let tables = try source.firstInteger(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'features'")
    guard tables == 1 else {
      throw FleetCommand.Failure(
        description: "\(path) has no table \"features\"; expected the collector.db of outrider collect")
    }
    return source
  }

  /// Records of one device that were received in one second.
  private struct Arrival: Hashable {
    var device: String
    var second: Int64
  }

  private static func copy(
    _ source: Connection, to target: RecordImport, unnamed: String?, _ tally: inout Tally
  ) throws {
    let reader = UploadReader(hash: { ContentHash.record($0) })
    var last: Int64 = 0
    while true {
      let rows = try source.rows(
        """
        SELECT rowid, received_ms, kind, device_id, body FROM features WHERE rowid > ? ORDER BY rowid LIMIT ?
        """, [.integer(last), .integer(portion)])
      guard let end = rows.last?[0].integer else { return }
      last = end
      var uploads: [(arrival: Arrival, upload: Upload)] = []
      var places: [Arrival: Int] = [:]
      for row in rows {
        let table = row[2].text.flatMap(RecordImport.Table.init(rawValue:)) ?? .location
        tally.inFile[table, default: 0] += 1
        guard let name = row[3].text.flatMap({ $0.isEmpty ? nil : $0 }) ?? unnamed else {
          tally.unnamed += 1
          continue
        }
        let read: Upload
        do throws(UploadError) {
          read = try self.read(Array((row[4].text ?? "").utf8), of: name, by: reader)
        } catch {
          tally.rejected += 1
          if tally.reasons.count < mostReasons {
            tally.reasons.append("record \(row[0].integer ?? 0): \(error)")
          }
          continue
        }
        let arrival = Arrival(device: name, second: (row[1].integer ?? 0) / 1000)
        if let place = places[arrival] {
          uploads[place].upload.append(read)
        } else {
          places[arrival] = uploads.count
          uploads.append((arrival, read))
        }
      }
      for (arrival, upload) in uploads {
        let received = Timestamp(milliseconds: arrival.second * 1000)
        tally.add(upload, new: try target.store(upload, device: arrival.device, received: received))
      }
    }
  }

  /// Reads a row of the file: a Feature, or a message of OwnTracks.
  private static func read(
    _ body: [UInt8], of name: String, by reader: UploadReader
  ) throws(UploadError) -> Upload {
    do throws(UploadError) { return try reader.readFeature(body) } catch {
      guard let upload = try? reader.readOwnTracks(body, owner: name) else { throw error }
      return upload
    }
  }

  /// What became of the records, by table.
  struct Tally {
    var inFile: [RecordImport.Table: Int] = [:]
    private(set) var copied: [RecordImport.Table: Int] = [:]
    private(set) var new: [RecordImport.Table: Int] = [:]
    /// Records that no table can hold.
    var rejected = 0
    var reasons: [String] = []
    /// Records without a device_id.
    var unnamed = 0

    mutating func add(_ upload: Upload, new stored: [RecordImport.Table: Int]) {
      copied[.location, default: 0] += upload.locations.count
      copied[.visit, default: 0] += upload.visits.count
      copied[.trip, default: 0] += upload.trips.count
      copied[.action, default: 0] += upload.actions.count
      new.merge(stored) { $0 + $1 }
    }

    private var total: Int { inFile.values.reduce(0, +) }

    /// The sentence about records that are missing; nil if the database has all of the file.
    func fault(_ stored: [RecordImport.Table: Int64]) -> String? {
      let lost = total - rejected - unnamed - copied.values.reduce(0, +)
      let isShort = RecordImport.Table.allCases.contains { stored[$0, default: 0] < new[$0, default: 0] }
      guard lost == 0, !isShort else { return "the database has fewer records than the file" }
      guard unnamed == 0 else {
        return "left out, because they have no device_id: \(unnamed); name their device with --device NAME"
      }
      return rejected == 0 ? nil : "left out, because no table can hold them: \(rejected)"
    }

    func text(_ stored: [RecordImport.Table: Int64]) -> String {
      let rows = RecordImport.Table.allCases.map { table in
        let (copied, new) = (copied[table, default: 0], new[table, default: 0])
        return [
          table.rawValue, "\(inFile[table, default: 0])", "\(new)", "\(copied - new)",
          "\(stored[table, default: 0])",
        ]
      }
      let table = FleetCommand.aligned(
        [["view", "in the file", "stored now", "stored before", "in the database"]] + rows)
      return ([table] + reasons).joined(separator: "\n")
    }

    func json(_ stored: [RecordImport.Table: Int64]) -> String {
      let members = RecordImport.Table.allCases.map { table in
        let (copied, new) = (copied[table, default: 0], new[table, default: 0])
        return """
          "\(table.rawValue)":{"in_file":\(inFile[table, default: 0]),"stored_now":\(new),\
          "stored_before":\(copied - new),"in_database":\(stored[table, default: 0])}
          """
      }
      return "{\(members.joined(separator: ",")),\"rejected\":\(rejected),\"without_device\":\(unnamed)}"
    }
  }
}

extension Upload {
  /// Adds the records of another upload of the same device.
  fileprivate mutating func append(_ other: Upload) {
    locations += other.locations
    visits += other.visits
    trips += other.trips
    actions += other.actions
  }
}
