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

/// Finds the device of an upload, or creates it, by the functions `outrider.admit` and
/// `outrider.enrol`; remembers the result for a minute.
///
/// Questions that arrive while one is asked are asked together: after an outage, all devices come at once. New logs of known
/// devices are added at the same time.
final class DeviceDirectory {
  enum Admission: Equatable {
    case admitted(AdmittedDevice, log: Int32?, token: String?)
    case refused(reason: String)
    /// The enrolment token has made too many devices.
    case limited(delay: Duration)
    /// The reason is empty if the device was removed meanwhile.
    case unavailable(reason: String)
  }

  private struct Key: Hashable {
    let tokenDevice: DeviceNumber
    let uniqueID: String?
    let log: LogID?
  }

  /// An upload with the token of a device.
  private struct Question {
    let key: Key
    let upload: Upload
    let completion: (Admission) -> Void
  }

  private struct Entry {
    let device: AdmittedDevice
    let log: Int32?
    let expiry: Moment
  }

  /// A device that was moved or renamed is noticed after this time.
  static let lifetime = Duration.seconds(60)
  private static let mostEntries = 200_000
  private static let mostQuestions = 1000

  private let connection: PostgresConnection
  private let now: () -> Moment
  private let admissions: AdmissionQueue
  private var entries: [Key: Entry] = [:]
  private var waiting: [Question] = []
  private var isAsking = false

  init(_ connection: PostgresConnection, enrolments: Int, now: @escaping () -> Moment) {
    self.connection = connection
    admissions = AdmissionQueue(connection, enrolments: enrolments)
    self.now = now
  }

  func removeAll() { entries = [:] }

  /// Forgets devices, so that the next request of each is decided by the database.
  func remove(_ devices: Set<DeviceNumber>) {
    guard !devices.isEmpty else { return }
    let keys = entries.lazy.filter { devices.contains($0.value.device.number) }.map(\.key)
    for key in Array(keys) { entries[key] = nil }
  }

  /// Calls the completion with the device of an upload, at once if it is known.
  func admit(_ upload: Upload, access: Access, completion: @escaping (Admission) -> Void) {
    switch access {
    case .device(let number):
      let key = Key(tokenDevice: number, uniqueID: upload.uniqueID, log: upload.log)
      if let entry = entries[key], entry.expiry > now() {
        return completion(.admitted(entry.device, log: entry.log, token: nil))
      }
      waiting.append(Question(key: key, upload: upload, completion: completion))
      if !isAsking { askTogether() }
    case .enrol(let cohort, let token):
      admissions.append(
        AdmissionQueue.Request(
          token: .enrolment(hash: token, cohort: cohort), upload: upload, completion: completion))
    case .read, .operate, .disabled, .unknown:
      completion(.refused(reason: "the token does not permit to store records"))
    }
  }

  private func remember(_ key: Key, _ device: AdmittedDevice, _ log: Int32?) {
    if entries.count >= Self.mostEntries { removeAll() }
    entries[key] = Entry(device: device, log: log, expiry: now() + Self.lifetime)
  }

  private func askTogether() {
    let questions = Array(waiting.prefix(Self.mostQuestions))
    guard !questions.isEmpty else { return }
    waiting.removeFirst(questions.count)
    isAsking = true
    let (devices, hardware, logs) = (ArrayColumn(.int4), ArrayColumn(.text), ArrayColumn(.uuid))
    for question in questions {
      devices.append(question.key.tokenDevice.value)
      hardware.append(question.key.uniqueID)
      if let log = question.key.log { logs.append(high: log.high, low: log.low) } else { logs.appendNull() }
    }
    let command = PostgresCommand(
      """
      WITH q AS MATERIALIZED (
        SELECT u.n, u.log, d.id, d.name, d.cohort
        FROM unnest($1::int4[], $2::text[], $3::uuid[]) WITH ORDINALITY AS u (device, hardware, log, n)
        LEFT JOIN outrider.device d ON d.id = u.device AND (u.hardware IS NULL OR d.unique_id = u.hardware)),
      added AS (
        INSERT INTO outrider.device_log (device, log) SELECT DISTINCT q.id, q.log FROM q
        WHERE q.id IS NOT NULL AND q.log IS NOT NULL
          AND NOT EXISTS (SELECT FROM outrider.device_log l WHERE l.device = q.id AND l.log = q.log)
        ORDER BY 1, 2 ON CONFLICT DO NOTHING RETURNING id, device, log)
      SELECT q.id, q.name, q.cohort, s.settings_hash, 'known', NULL::text, coalesce(l.id, a.id)
      FROM q LEFT JOIN outrider.device_log l ON l.device = q.id AND l.log = q.log
      LEFT JOIN added a ON a.device = q.id AND a.log = q.log
      LEFT JOIN outrider.device_state s ON s.device = q.id
      ORDER BY q.n
      """, [.array(devices), .array(hardware), .array(logs)])
    connection.perform(.statement(command)) { [weak self] result in
      guard let self else { return }
      isAsking = false
      answer(questions, result)
      if !isAsking { askTogether() }
    }
  }

  private func answer(_ questions: [Question], _ result: Result<[QueryResult], PostgresError>) {
    switch result {
    case .failure(let error):
      for question in questions { question.completion(.unavailable(reason: "\(error)")) }
    case .success(let results):
      for (row, question) in questions.enumerated() {
        guard let rows = results.first,
          case .admitted(let device, let log, _) = Admission(rows, row, nil),
          log != nil || question.key.log == nil
        else {
          decide(question)
          continue
        }
        remember(question.key, device, log)
        question.completion(.admitted(device, log: log, token: nil))
      }
    }
  }

  /// Another collector has added the log meanwhile, or the device is unknown by this identity.
  private func decide(_ question: Question) {
    admissions.append(
      AdmissionQueue.Request(token: .device(question.key.tokenDevice), upload: question.upload) {
        [weak self] admission in
        if case .admitted(let device, let log, _) = admission { self?.remember(question.key, device, log) }
        question.completion(admission)
      })
  }
}

extension DeviceDirectory.Admission {
  /// Reads a row: device, name, cohort, hash of the settings, outcome, reason, log, seconds to wait.
  init(_ rows: QueryResult, _ row: Int, _ secret: TokenSecret?) {
    switch rows.text(row, 4) {
    case nil: self = .unavailable(reason: "")
    case "refused": self = .refused(reason: rows.text(row, 5) ?? "refused")
    case "limited": self = .limited(delay: .seconds(rows.integer(row, 7) ?? 60))
    case let outcome?:
      guard let number = rows.integer(row, 0), let name = rows.text(row, 1), let cohort = rows.text(row, 2)
      else {
        // The device was removed after its token was checked; the next check finds that.
        self = .unavailable(reason: "")
        return
      }
      let device = AdmittedDevice(
        number: DeviceNumber(Int32(clamping: number)), name: name, cohort: cohort,
        settingsHash: rows.text(row, 3))
      let isNew = outcome == "created" || outcome == "renewed"
      self = .admitted(
        device, log: rows.integer(row, 6).map { Int32(clamping: $0) }, token: isNew ? secret?.text : nil)
    }
  }
}
