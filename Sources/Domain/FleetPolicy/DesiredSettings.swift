import FleetRecords
import Quantities

/// The outcome of a desired setting, as the database has it.
public enum SettingState: String, CaseIterable, Equatable, Sendable {
  case desired, sent
  case onTrial = "on_trial"
  case proven
  case rolledBack = "rolled_back"
  case rejected, ignored, superseded

  /// The state for a device's outcome of a value; `desired` is the value that counts for it now.
  public init(_ outcome: SettingOutcome.Outcome, isStillDesired: Bool) {
    guard isStillDesired else {
      self = .superseded
      return
    }
    self =
      switch outcome {
      case .onTrial: .onTrial
      case .proven: .proven
      case .rolledBack: .rolledBack
      case .rejected: .rejected
      case .ignored: .ignored
      }
  }

  /// True if the device may have a value of this server, which it then has to take back if it is not desired any more.
  var mayBeInForce: Bool {
    switch self {
    case .sent, .onTrial, .proven, .superseded: true
    case .desired, .rolledBack, .rejected, .ignored: false
    }
  }

  /// True if the same value is not sent again until somebody changes it: it would fail in the same way.
  public var isFinalFailure: Bool {
    switch self {
    case .rolledBack, .rejected, .ignored: true
    case .desired, .sent, .onTrial, .proven, .superseded: false
    }
  }
}

/// The values that the operators of a fleet want, by device, cohort or for all. The narrowest scope counts.
public struct DesiredSettings: Equatable, Sendable {
  public enum Scope: Hashable, Sendable {
    case all
    case cohort(String)
    case device(String)
  }

  /// Values as JSON, by key.
  private var values: [Scope: [String: String]] = [:]

  public init() {}

  public var isEmpty: Bool { values.isEmpty }

  public mutating func set(_ key: String, _ value: String, for scope: Scope) {
    values[scope, default: [:]][key] = value
  }

  /// The values for a device.
  public func values(device: String, cohort: String) -> [String: String] {
    guard !values.isEmpty else { return [:] }
    var chosen = values[.all] ?? [:]
    chosen.merge(values[.cohort(cohort)] ?? [:]) { $1 }
    chosen.merge(values[.device(device)] ?? [:]) { $1 }
    return chosen
  }
}

/// What is sent to a device, so that its settings become the desired ones, and those that are not desired any more become
/// its own again.
public struct SettingsAnswer: Equatable, Sendable {
  /// The settings as a JSON object, `{"main":{"min_time":"30s"}}` for the key `main.min_time`.
  public var settings: String
  /// The values that are sent, as JSON by key.
  public var values: [String: String]

  /// The keys whose values the device takes back, sorted.
  public var unset: [String]

  /// The values that are left after those that failed before, and the keys that are not desired any more; nil if none.
  ///
  /// `outcomes` are the last outcomes of the device with the values they belong to, as JSON by key. Both come from the
  /// database, so that equal values are equal texts.
  public init?(desired: [String: String], outcomes: [String: (value: String, state: SettingState)]) {
    values = desired.filter { key, value in
      guard let outcome = outcomes[key] else { return true }
      return !(outcome.state.isFinalFailure && outcome.value == value)
    }
    unset = outcomes.filter { $0.value.state.mayBeInForce }.keys.filter { key in
      !desired.keys.contains { Self.isWithin(key, $0) || Self.isWithin($0, key) }
    }.sorted()
    guard !values.isEmpty || !unset.isEmpty else { return nil }
    settings = Self.object(values)
  }

  /// The text whose hash names the answer. An answer without ``unset`` has that of its settings.
  public var named: String { ([settings] + unset).joined(separator: "\n") }

  /// True if a key is another one, or part of its group.
  private static func isWithin(_ key: String, _ group: String) -> Bool {
    key == group || key.hasPrefix("\(group).")
  }

  /// A JSON object with nested groups, in the order of the keys. A key below another key's value is left out.
  static func object(_ values: [String: String]) -> String {
    text(
      of: values.sorted { $0.key < $1.key }.map { (path: $0.key.split(separator: "."), value: $0.value) }[
        ...], depth: 0)
  }

  private static func text(of entries: ArraySlice<(path: [Substring], value: String)>, depth: Int) -> String {
    var members: [UInt8] = []
    var names: [Substring] = []
    for entry in entries where depth < entry.path.count && !names.contains(entry.path[depth]) {
      let name = entry.path[depth]
      names.append(name)
      if !members.isEmpty { members.append(UInt8(ascii: ",")) }
      members.appendJSONString(String(name))
      members.append(UInt8(ascii: ":"))
      if entry.path.count == depth + 1 {
        members.append(contentsOf: entry.value.utf8)
      } else {
        let group = entries.filter { depth < $0.path.count && $0.path[depth] == name }
        members.append(contentsOf: text(of: group[...], depth: depth + 1).utf8)
      }
    }
    return "{" + String(decoding: members, as: UTF8.self) + "}"
  }
}
