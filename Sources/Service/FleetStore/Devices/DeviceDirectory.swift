import FleetRecords
import PostgreSQL
import Quantities

/// A device that may store uploads.
struct AdmittedDevice: Equatable {
  var number: DeviceNumber
  var name: String
  var cohort: String
  /// The hash of its settings, by its last report.
  var settingsHash: String?
}

/// Finds the device of an upload, or creates it, by the function `outrider.admit`; remembers the result for a minute.
final class DeviceDirectory {
  enum Admission: Equatable {
    case admitted(AdmittedDevice, log: Int32?, token: String?)
    case refused(reason: String)
    /// The reason is empty if the device was removed meanwhile.
    case unavailable(reason: String)
  }

  private struct Key: Hashable {
    let tokenDevice: DeviceNumber
    let uniqueID: String?
    let log: LogID?
  }

  private struct Entry {
    let device: AdmittedDevice
    let log: Int32?
    let expiry: Moment
  }

  /// A device that was moved or renamed is noticed after this time.
  static let lifetime = Duration.seconds(60)
  private static let mostEntries = 200_000

  private let connection: PostgresConnection
  private let now: () -> Moment
  private var entries: [Key: Entry] = [:]

  init(_ connection: PostgresConnection, now: @escaping () -> Moment) {
    self.connection = connection
    self.now = now
  }

  func removeAll() { entries = [:] }

  /// Calls the completion with the device of an upload, at once if it is known.
  func admit(_ upload: Upload, access: Access, completion: @escaping (Admission) -> Void) {
    switch access {
    case .device(let number):
      let key = Key(tokenDevice: number, uniqueID: upload.uniqueID, log: upload.log)
      if let entry = entries[key], entry.expiry > now() {
        return completion(.admitted(entry.device, log: entry.log, token: nil))
      }
      ask(upload, device: number, cohort: nil, secret: nil) { [weak self] admission in
        if case .admitted(let device, let log, _) = admission { self?.remember(key, device, log) }
        completion(admission)
      }
    case .enrol(let cohort):
      ask(upload, device: nil, cohort: cohort, secret: .random(), completion: completion)
    case .read, .operate, .disabled, .unknown:
      completion(.refused(reason: "the token does not permit to store records"))
    }
  }

  private func remember(_ key: Key, _ device: AdmittedDevice, _ log: Int32?) {
    if entries.count >= Self.mostEntries { removeAll() }
    entries[key] = Entry(device: device, log: log, expiry: now() + Self.lifetime)
  }

  private func ask(
    _ upload: Upload, device: DeviceNumber?, cohort: String?, secret: TokenSecret?,
    completion: @escaping (Admission) -> Void
  ) {
    let log: PostgresParameter = upload.log.map { .uuid(high: $0.high, low: $0.low) } ?? .null
    let command = PostgresCommand(
      """
      SELECT a.device, a.name, a.cohort, a.settings_hash, a.outcome, a.reason,
        CASE WHEN a.device IS NOT NULL AND $6::uuid IS NOT NULL THEN outrider.log_number(a.device, $6::uuid) END
      FROM outrider.admit($1::int4, $2::text, $3::text, $4::text, $5::bytea) AS a
      """,
      [
        .optional(device?.value), .optional(cohort), .optional(upload.uniqueID),
        .text(Self.name(for: upload)),
        .optional(secret?.hash), log,
      ])
    connection.perform(.transaction([command])) { result in
      switch result {
      case .success(let results):
        completion(results.first.map { Self.admission($0, secret) } ?? .unavailable(reason: ""))
      case .failure(let error): completion(.unavailable(reason: "\(error)"))
      }
    }
  }

  private static func admission(_ row: QueryResult, _ secret: TokenSecret?) -> Admission {
    guard let outcome = row.text(0, 4) else { return .unavailable(reason: "") }
    guard outcome != "refused" else { return .refused(reason: row.text(0, 5) ?? "refused") }
    guard let number = row.integer(0, 0), let name = row.text(0, 1), let cohort = row.text(0, 2) else {
      // The device was removed after its token was checked; the next check finds that.
      return .unavailable(reason: "")
    }
    let device = AdmittedDevice(
      number: DeviceNumber(Int32(clamping: number)), name: name, cohort: cohort, settingsHash: row.text(0, 3))
    let isNew = outcome == "created" || outcome == "renewed"
    return .admitted(
      device, log: row.integer(0, 6).map { Int32(clamping: $0) }, token: isNew ? secret?.text : nil)
  }

  /// The name that a new device gets.
  private static func name(for upload: Upload) -> String {
    upload.deviceID.isEmpty ? "device-" + (upload.uniqueID ?? "").prefix(8) : upload.deviceID
  }
}
