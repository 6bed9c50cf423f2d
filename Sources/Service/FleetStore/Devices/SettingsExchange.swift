import FleetPolicy
import FleetRecords
import PostgreSQL
import Quantities

/// Adds the desired settings to the answers of devices that do not have them, and lets devices take back those that are not
/// desired any more.
///
/// The hash names what was sent. The device reports it as `settings_hash` once it has taken them over.
final class SettingsExchange {
  private static let mostDevices = 200_000

  /// All desired values of a device as JSON by key, with their hash.
  struct Whole {
    let values: [String: String]
    let hash: String
  }

  private struct Target: Hashable {
    let name: String
    let cohort: String
  }

  private let connection: PostgresConnection
  private(set) var desired = DesiredSettings()
  /// False while they are read again.
  private(set) var isFresh = false
  /// True once they were read: before, a value that is not desired means nothing.
  private var isKnown = false
  /// The hash of the last settings that were sent, by device.
  private var sent: [DeviceNumber: String] = [:]
  /// The hashes of all desired values, by device.
  private var hashes: [Target: String] = [:]

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// Reads the desired settings again.
  func refresh() {
    isFresh = false
    let command = PostgresCommand("SELECT scope, name, key, value::text FROM outrider.desired_setting")
    connection.perform(.statement(command)) { [weak self] result in
      guard case .success(let results) = result, let rows = results.first else { return }
      var desired = DesiredSettings()
      for row in 0..<rows.rowCount {
        guard let name = rows.text(row, 1), let key = rows.text(row, 2), let value = rows.text(row, 3) else {
          continue
        }
        switch rows.text(row, 0) {
        case "cohort": desired.set(key, value, for: .cohort(name))
        case "device": desired.set(key, value, for: .device(name))
        default: desired.set(key, value, for: .all)
        }
      }
      if self?.desired != desired { self?.hashes = [:] }
      self?.desired = desired
      self?.isKnown = true
      self?.isFresh = true
    }
  }

  func whole(for device: AdmittedDevice) -> Whole {
    Whole(values: values(for: device), hash: wholeHash(for: device))
  }

  private func values(for device: AdmittedDevice) -> [String: String] {
    desired.isEmpty ? [:] : desired.values(device: device.name, cohort: device.cohort)
  }

  /// True if ``addSettings(to:for:report:completion:)`` may add something.
  func concerns(_ device: AdmittedDevice, report: DeviceReport?) -> Bool {
    guard isKnown else { return false }
    let hash = report == nil ? lastHash(of: device) : report?.settingsHash
    guard values(for: device).isEmpty, hash == nil else { return hash != wholeHash(for: device) }
    // Nothing is desired, and the device does not know what it was sent.
    return report?.settingOutcomes.contains { $0.outcome == .proven || $0.outcome == .onTrial } ?? false
  }

  /// Calls the completion with the receipt, to which settings were added if the device needs them. They are stored as
  /// sent before.
  func addSettings(
    to receipt: Receipt, for device: AdmittedDevice, report: DeviceReport?,
    completion: @escaping (Receipt) -> Void
  ) {
    let values = values(for: device)
    let command = PostgresCommand(
      "SELECT key, value::text, outcome FROM outrider.setting_outcome WHERE device = $1::int4",
      [.int4(device.number.value)])
    connection.perform(.statement(command)) { [weak self] result in
      guard let self, case .success(let results) = result, let rows = results.first else {
        return completion(receipt)
      }
      var outcomes: [String: (value: String, state: SettingState)] = [:]
      for row in 0..<rows.rowCount {
        guard let key = rows.text(row, 0), let value = rows.text(row, 1),
          let state = rows.text(row, 2).flatMap(SettingState.init)
        else { continue }
        outcomes[key] = (value, state)
      }
      let answer = SettingsAnswer(desired: values, outcomes: outcomes)
      let hash = answer.map { Self.hash(of: $0.named) }
      guard let answer, let hash, hash != (report == nil ? lastHash(of: device) : report?.settingsHash) else {
        // What is left is there, or failed. It is not judged again until it changes.
        note(device)
        guard let answer, !answer.unset.isEmpty else { return completion(receipt) }
        return confirm(answer, receipt, device, completion)
      }
      send(answer, hash, outcomes, receipt, device, completion)
    }
  }

  /// The device has taken the values back: their outcomes go, and the name of the others is left.
  private func confirm(
    _ answer: SettingsAnswer, _ receipt: Receipt, _ device: AdmittedDevice,
    _ completion: @escaping (Receipt) -> Void
  ) {
    let keys = ArrayColumn(.text)
    for key in answer.unset { keys.append(key) }
    let command = PostgresCommand(
      "DELETE FROM outrider.setting_outcome WHERE device = $1::int4 AND key = ANY ($2::text[])",
      [.int4(device.number.value), .array(keys)])
    connection.perform(.statement(command)) { result in
      guard case .success = result else { return completion(receipt) }
      var receipt = receipt
      receipt.settingsHash = Self.hash(of: answer.values.isEmpty ? "" : answer.settings)
      completion(receipt)
    }
  }

  private func send(
    _ answer: SettingsAnswer, _ hash: String, _ outcomes: [String: (value: String, state: SettingState)],
    _ receipt: Receipt, _ device: AdmittedDevice, _ completion: @escaping (Receipt) -> Void
  ) {
    let (keys, values) = (ArrayColumn(.text), ArrayColumn(.jsonb))
    for (key, value) in answer.values.sorted(by: { $0.key < $1.key }) {
      if let outcome = outcomes[key], outcome.value == value,
        outcome.state == .proven || outcome.state == .onTrial
      {
        continue
      }
      keys.append(key)
      values.append(value)
    }
    let command = PostgresCommand(
      """
      INSERT INTO outrider.setting_outcome AS o (device, key, value, time, outcome)
      SELECT $1::int4, key, value, now(), '\(SettingState.sent.rawValue)'
      FROM unnest($2::text[], $3::jsonb[]) AS i (key, value)
      ON CONFLICT (device, key) DO UPDATE
        SET value = excluded.value, reason = NULL, time = excluded.time, outcome = excluded.outcome
      """, [.int4(device.number.value), .array(keys), .array(values)])
    connection.perform(.statement(command)) { [weak self] result in
      guard let self, case .success = result else { return completion(receipt) }
      note(device)
      var receipt = receipt
      receipt.settings = answer.values.isEmpty ? nil : answer.settings
      receipt.unset = answer.unset
      receipt.settingsHash = hash
      completion(receipt)
    }
  }

  /// The hash of what the device has, or was sent, as far as known.
  private func lastHash(of device: AdmittedDevice) -> String? { sent[device.number] ?? device.settingsHash }

  /// All desired values were considered for the device.
  private func note(_ device: AdmittedDevice) {
    if sent.count >= Self.mostDevices { sent = [:] }
    sent[device.number] = wholeHash(for: device)
  }

  /// The hash of all desired values of a device.
  private func wholeHash(for device: AdmittedDevice) -> String {
    let key = Target(name: device.name, cohort: device.cohort)
    if let hash = hashes[key] { return hash }
    if hashes.count >= Self.mostDevices { hashes = [:] }
    let hash = Self.hash(of: SettingsAnswer(desired: values(for: device), outcomes: [:])?.settings ?? "")
    hashes[key] = hash
    return hash
  }

  private static func hash(of settings: String) -> String {
    "sha256:" + Digest.hex(Digest.sha256(Array(settings.utf8)))
  }
}
