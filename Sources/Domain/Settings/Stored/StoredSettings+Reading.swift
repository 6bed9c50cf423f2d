import JSON

/// A part of the stored settings that cannot be read and is ignored.
public struct StoredFault: Equatable, Sendable, CustomStringConvertible {
  /// The dotted path in the file.
  public var path: String
  public var expected: String
  /// The damaged bytes; nil for a value of the wrong type.
  public var damage: JSONFault?
  public var remedy: String

  public var description: String {
    "\(path): \(damage.map { "\($0)" } ?? "expected \(expected), got something else"); ignored; \(remedy)"
  }
}

extension StoredSettings {
  private static let limits = CheckedJSON.Limits(depth: JSON5Scanner.deepest, values: JSON5Scanner.mostValues)
  /// The objects whose members are independent of each other.
  private static let groups: Set<String> = ["", "operator", "server", "destinations", "newcomers", "tokens"]

  /// Reads the format of ``json``. A part that cannot be read is ignored and listed in ``faults``. Throws if the whole
  /// cannot be read.
  public init(json bytes: [UInt8]) throws(JSONFault) {
    guard bytes.count <= Self.largest else {
      throw JSONFault(expected: "at most \(Self.largest) bytes", found: "\(bytes.count)", at: 0, in: bytes)
    }
    let (text, damages) = try CheckedJSON.repairing(bytes, limits: Self.limits) {
      Self.groups.contains(Self.shown($0[...]))
    }
    guard let draft: Draft = try? text.decode() else {
      throw JSONFault(expected: "a group { … } of settings", found: "something else", at: 0, in: bytes)
    }
    take(draft, damages)
  }

  private static func shown(_ path: ArraySlice<CheckedJSON.Damage.Step>) -> String {
    path.reduce("") { path, step in
      switch step {
      case .key(let key): Shown.path(path, key)
      case .index(let index): "\(path)[\(index)]"
      }
    }
  }

  private mutating func take(_ draft: Draft, _ damages: [CheckedJSON.Damage]) {
    for damage in damages where damage.isKey && Self.groups.contains(Self.shown(damage.path.dropLast())) {
      faults.append(
        StoredFault(
          path: Self.shown(damage.path[...]), expected: "a key", damage: damage.fault,
          remedy: "set it again with outrider set, or wait for the server"))
    }
    let hasLostKeys = faults.contains { $0.path.hasPrefix("server.") }
    let again = "set it again with outrider set"
    for (key, value) in members(draft.operator, "operator", "a group of settings", again) {
      `operator`[key] = sound(value, Shown.path("operator", key), "a text", again)
    }
    if let server = part(draft.server, "server", "a group", Self.serverAgain) {
      self.server = read(server, hasLostKeys: hasLostKeys)
    }
    let on = "tracking stays on after a trip that switched it on"
    tripOverride = part(draft.trip_claim, "trip_claim", "{ before? }", on)
    // In the format of old versions, a trip could only switch on what the operator had switched off.
    let isOn = part(draft.trip_switched_tracking_on, "trip_switched_tracking_on", "true or false", on)
    if isOn == true, tripOverride == nil { tripOverride = TripOverride(before: "false") }
    let addressRemedy = "a change of the address meanwhile is not detected"
    let read = members(draft.destinations, "destinations", "a group of destinations", addressRemedy)
    for (name, value) in read {
      let expected = "{ place, address, form?, held }"
      guard let one = sound(value, Shown.path("destinations", name), expected, addressRemedy) else {
        continue
      }
      destinations = (destinations ?? [:]).merging([name: one]) { $1 }
    }
    let destinationRemedy = "new and removed destinations may be reported again"
    for (name, value) in members(draft.newcomers, "newcomers", "a group of destinations", destinationRemedy) {
      guard let one = sound(value, Shown.path("newcomers", name), "a whole number", destinationRemedy) else {
        continue
      }
      newcomers = (newcomers ?? [:]).merging([name: one]) { $1 }
    }
    if let draft = draft.departed { departed = list(draft, "departed", "a name", destinationRemedy) }
    let tokenRemedy = "the configured token is used; the server may refuse to enrol the device again"
    for (name, value) in members(draft.tokens, "tokens", "a group of destinations", tokenRemedy) {
      let expected = "{ token, address, configured, isProven }"
      guard let one = sound(value, Shown.path("tokens", name), expected, tokenRemedy) else { continue }
      tokens = (tokens ?? [:]).merging([name: one]) { $1 }
    }
    if let draft = draft.trial {
      trial = list(draft, "trial", "a path", "the end of a trial may not be reported")
    }
    explain(damages)
  }

  /// Adds the damaged bytes to the faults that they cause.
  private mutating func explain(_ damages: [CheckedJSON.Damage]) {
    for damage in damages {
      let path = Self.shown(damage.path[...])
      let index = faults.firstIndex { fault in
        path == fault.path || path.hasPrefix("\(fault.path).") || path.hasPrefix("\(fault.path)[")
      }
      if let index, faults[index].damage == nil { faults[index].damage = damage.fault }
    }
  }

  private static let serverAgain = "set it again with outrider set, or wait for the server"

  private mutating func read(_ draft: ServerDraft, hasLostKeys: Bool) -> ServerRecord {
    var record = ServerRecord()
    let (again, since) = (Self.serverAgain, "times are counted from this start")
    let lost = "values without a readable trial are rolled back; \(again)"
    let faultsBefore = faults.count
    let trials = list(draft.trials, "server.trials", "a trial", lost)
    let trial = part(draft.trial, "server.trial", "a trial", lost)
    let isWithoutTrials = draft.trials == nil && draft.trial == nil
    let hasLostTrials = hasLostKeys && isWithoutTrials || faults.count > faultsBefore
    record.trials = draft.trials == nil ? nil : trials
    record.trial = trial
    record.values = list(draft.values, "server.values", "{ key, value, by? }", again)
    record.failures = list(
      draft.failures, "server.failures", "{ key, value, failures }",
      "a value that was rolled back may be tried again")
    if let waiting = draft.waiting {
      record.waiting = list(waiting, "server.waiting", "{ key, value, by }", again)
    }
    record.contacts = list(draft.contacts, "server.contacts", "{ destination, ago_ms }", since)
    record.checked_in_ms = part(draft.checked_in_ms, "server.checked_in_ms", "whole milliseconds", since)
    record.boot = part(draft.boot, "server.boot", "a text", since) ?? ""
    record.moment_ms = part(draft.moment_ms, "server.moment_ms", "whole milliseconds", since) ?? 0
    record.utc_ms = part(draft.utc_ms, "server.utc_ms", "whole milliseconds", since) ?? 0
    if hasLostTrials {
      // A value must not become proven because its trial cannot be read.
      let onTrial = Set(record.everyTrial.flatMap { $0.before.map(\.key) })
      record.values.removeAll { !onTrial.contains($0.key) }
    }
    return record
  }

  // MARK: Parts

  private mutating func sound<Value>(
    _ attempt: Attempt<Value>, _ path: String, _ expected: String, _ remedy: String
  ) -> Value? {
    if attempt.value == nil { faults.append(StoredFault(path: path, expected: expected, remedy: remedy)) }
    return attempt.value
  }

  private mutating func part<Value>(
    _ attempt: Attempt<Value>?, _ path: String, _ expected: String, _ remedy: String
  ) -> Value? {
    attempt.flatMap { sound($0, path, expected, remedy) }
  }

  private mutating func members<Value>(
    _ attempt: Attempt<[String: Attempt<Value>]>?, _ path: String, _ expected: String, _ remedy: String
  ) -> [(key: String, value: Attempt<Value>)] {
    (part(attempt, path, expected, remedy) ?? [:]).sorted { $0.key < $1.key }
  }

  private mutating func list<Value>(
    _ attempt: Attempt<[Attempt<Value>]>?, _ path: String, _ expected: String, _ remedy: String
  ) -> [Value] {
    let elements = part(attempt, path, "a list", remedy) ?? []
    return elements.enumerated().compactMap { sound($1, "\(path)[\($0)]", expected, remedy) }
  }
}

/// A value that is nil if it cannot be decoded.
private struct Attempt<Value: Decodable>: Decodable {
  var value: Value?

  init(from decoder: any Decoder) throws { value = try? decoder.singleValueContainer().decode(Value.self) }
}

private struct Draft: Decodable {
  var `operator`: Attempt<[String: Attempt<String>]>?
  var server: Attempt<ServerDraft>?
  var trip_claim: Attempt<TripOverride>?
  var trip_switched_tracking_on: Attempt<Bool>?
  var destinations: Attempt<[String: Attempt<DestinationState>]>?
  var newcomers: Attempt<[String: Attempt<Int64>]>?
  var departed: Attempt<[Attempt<String>]>?
  var tokens: Attempt<[String: Attempt<DeviceTokens.Entry>]>?
  var trial: Attempt<[Attempt<String>]>?
}

private struct ServerDraft: Decodable {
  var values: Attempt<[Attempt<ServerRecord.Value>]>?
  var trials: Attempt<[Attempt<ServerRecord.Trial>]>?
  var trial: Attempt<ServerRecord.Trial>?
  var failures: Attempt<[Attempt<ServerRecord.Value>]>?
  var waiting: Attempt<[Attempt<ServerRecord.Value>]>?
  var contacts: Attempt<[Attempt<ServerRecord.Contact>]>?
  var checked_in_ms: Attempt<Int64>?
  var boot: Attempt<String>?
  var moment_ms: Attempt<Int64>?
  var utc_ms: Attempt<Int64>?
}
