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
/// Questions that arrive while one is asked are asked together: after an outage, all devices come at once. Only devices
/// that are new, or have a new log, are asked for one by one.
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
  /// The new devices of an enrolment token within an hour.
  private let enrolments: Int
  private var entries: [Key: Entry] = [:]
  private var waiting: [Question] = []
  private var isAsking = false

  init(_ connection: PostgresConnection, enrolments: Int, now: @escaping () -> Moment) {
    self.connection = connection
    self.enrolments = enrolments
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
      waiting.append(Question(key: key, upload: upload, completion: completion))
      if !isAsking { askTogether() }
    case .enrol(let cohort, let token):
      ask(
        upload, Self.enrol,
        [
          .bytes(token), .int4(Int32(clamping: enrolments)), .text(cohort), .optional(upload.uniqueID),
          .text(Self.name(for: upload)),
        ], secret: .random(), completion: completion)
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
      SELECT d.id, d.name, d.cohort, s.settings_hash, 'known', NULL::text, l.id
      FROM unnest($1::int4[], $2::text[], $3::uuid[]) WITH ORDINALITY AS q (device, hardware, log, n)
      LEFT JOIN outrider.device d ON d.id = q.device AND (q.hardware IS NULL OR d.unique_id = q.hardware)
      LEFT JOIN outrider.device_log l ON l.device = q.device AND l.log = q.log
      LEFT JOIN outrider.device_state s ON s.device = q.device
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
          case .admitted(let device, let log, _) = Self.admission(rows, row, nil),
          log != nil || question.key.log == nil
        else {
          askAlone(question)
          continue
        }
        remember(question.key, device, log)
        question.completion(.admitted(device, log: log, token: nil))
      }
    }
  }

  private func askAlone(_ question: Question) {
    let upload = question.upload
    ask(
      upload, Self.admit,
      [
        .int4(question.key.tokenDevice.value), .null, .optional(upload.uniqueID),
        .text(Self.name(for: upload)),
      ], secret: nil
    ) { [weak self] admission in
      if case .admitted(let device, let log, _) = admission { self?.remember(question.key, device, log) }
      question.completion(admission)
    }
  }

  private static let admit = "outrider.admit($1::int4, $2::text, $3::text, $4::text, $5::bytea)"
  private static let enrol = "outrider.enrol($1::bytea, $2::int4, $3::text, $4::text, $5::text, $6::bytea)"

  /// Calls a function with its parameters, the hash of the secret, and the log.
  private func ask(
    _ upload: Upload, _ function: String, _ parameters: [PostgresParameter], secret: TokenSecret?,
    completion: @escaping (Admission) -> Void
  ) {
    let log: PostgresParameter = upload.log.map { .uuid(high: $0.high, low: $0.low) } ?? .null
    let place = "$\(parameters.count + 2)::uuid"
    let wait = function == Self.enrol ? "a.wait_s" : "0"
    let command = PostgresCommand(
      """
      SELECT a.device, a.name, a.cohort, a.settings_hash, a.outcome, a.reason,
        CASE WHEN a.device IS NOT NULL AND \(place) IS NOT NULL THEN outrider.log_number(a.device, \(place)) END, \(wait)
      FROM \(function) AS a
      """, parameters + [.optional(secret?.hash), log])
    connection.perform(.transaction([command])) { result in
      switch result {
      case .success(let results):
        completion(results.first.map { Self.admission($0, 0, secret) } ?? .unavailable(reason: ""))
      case .failure(let error): completion(.unavailable(reason: "\(error)"))
      }
    }
  }

  private static func admission(_ rows: QueryResult, _ row: Int, _ secret: TokenSecret?) -> Admission {
    guard let outcome = rows.text(row, 4) else { return .unavailable(reason: "") }
    guard outcome != "refused" else { return .refused(reason: rows.text(row, 5) ?? "refused") }
    guard outcome != "limited" else { return .limited(delay: .seconds(rows.integer(row, 7) ?? 60)) }
    guard let number = rows.integer(row, 0), let name = rows.text(row, 1), let cohort = rows.text(row, 2)
    else {
      // The device was removed after its token was checked; the next check finds that.
      return .unavailable(reason: "")
    }
    let device = AdmittedDevice(
      number: DeviceNumber(Int32(clamping: number)), name: name, cohort: cohort,
      settingsHash: rows.text(row, 3))
    let isNew = outcome == "created" || outcome == "renewed"
    return .admitted(
      device, log: rows.integer(row, 6).map { Int32(clamping: $0) }, token: isNew ? secret?.text : nil)
  }

  /// The name that a new device gets.
  private static func name(for upload: Upload) -> String {
    upload.deviceID.isEmpty ? "device-" + (upload.uniqueID ?? "").prefix(8) : upload.deviceID
  }
}
