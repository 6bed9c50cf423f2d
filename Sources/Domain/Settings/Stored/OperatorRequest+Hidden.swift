// Secrets of destinations in a request. A listing hides them, and a client that edits the list returns what it has read.

extension OperatorRequest {
  /// Returns the request with the stored values in place of `(hidden)` and of addresses such as `https://example.org/…`.
  ///
  /// A destination is recognized by its name. A new name is recognized if exactly one destination was removed that has the
  /// same kind and address. A secret is not kept for another server. Throws an error for every other hidden value.
  public func keepingHidden(of present: Configuration) throws(SettingsErrors) -> OperatorRequest {
    let path = Schema.destinations.path
    guard let text = values[path], case .list(let members)? = JSONValue(json5: Array(text.utf8)),
      members.contains(where: HiddenValues.areIn)
    else { return self }
    var hidden = HiddenValues(present, requested: members)
    let restored = members.indices.map { hidden.restore(members[$0], at: $0) }
    guard hidden.faults.isEmpty else { throw SettingsErrors(hidden.faults) }
    var request = self
    request.values[path] = JSONValue.list(restored).json
    return request
  }
}

/// The destinations of a configuration as they are, and as a listing shows them.
private struct HiddenValues {
  private struct Known {
    var name: String
    var whole: JSONValue
    var shown: JSONValue
  }

  private let known: [Known]
  private let requested: [JSONValue]
  private(set) var faults: [SettingsError] = []

  init(_ present: Configuration, requested: [JSONValue]) {
    self.requested = requested
    let whole = Self.elements(Schema.destinations.written(in: present, revealing: true))
    let shown = Self.elements(Schema.destinations.written(in: present, revealing: false))
    known = zip(whole, shown).compactMap { whole, shown in
      Self.text(whole, "name").map { Known(name: $0, whole: whole, shown: shown) }
    }
  }

  private static func elements(_ value: JSONValue) -> [JSONValue] {
    if case .list(let elements) = value { elements } else { [] }
  }

  private static func text(_ value: JSONValue, _ key: String) -> String? {
    guard case .group(let members) = value, case .text(let text)? = members[key] else { return nil }
    return text
  }

  private static func isHidden(_ text: String) -> Bool {
    text == Secret("").description || text.hasSuffix("/…")
  }

  /// True if a part of the value is hidden.
  static func areIn(_ value: JSONValue) -> Bool {
    switch value {
    case .text(let text): isHidden(text)
    case .group(let members): members.values.contains(where: areIn)
    case .list(let elements): elements.contains(where: areIn)
    case .null, .boolean, .number: false
    }
  }

  /// Returns a requested destination with its stored values.
  mutating func restore(_ member: JSONValue, at index: Int) -> JSONValue {
    guard case .group(let keys) = member, Self.areIn(member) else { return member }
    let path = "\(Schema.destinations.path)[\(index)]"
    guard let known = known(member) else {
      let name = Self.text(member, "name") ?? ""
      for key in keys.keys.sorted() where keys[key].map(Self.areIn) ?? false {
        refuse(Shown.path(path, key), "no destination \(Shown.quoted(name)) has it; enter it again")
      }
      return member
    }
    let isElsewhere = Self.text(member, "url").map { !Self.isSameServer($0, known) } ?? false
    var restored = keys
    for (key, value) in keys.sorted(by: { $0.key < $1.key }) where Self.areIn(value) {
      if isElsewhere, key != "proxy" {
        refuse(Shown.path(path, key), "it is not kept for another server; enter it again")
      } else if let whole = Self.member(key, of: known.whole), let shown = Self.member(key, of: known.shown) {
        restored[key] = kept(value, whole, shown, Shown.path(path, key))
      } else {
        refuse(Shown.path(path, key), "the destination has none; enter it")
      }
    }
    return .group(restored)
  }

  /// The destination that is meant: that of the same name, or the only one that was removed and is otherwise the same.
  private func known(_ member: JSONValue) -> Known? {
    if let name = Self.text(member, "name"), let same = known.first(where: { $0.name == name }) {
      return same
    }
    let names = Set(requested.compactMap { Self.text($0, "name") })
    let removed = known.filter { !names.contains($0.name) && Self.isSame(member, $0) }
    guard let only = removed.first, removed.count == 1 else { return nil }
    let others = requested.filter { other in
      !known.contains { $0.name == Self.text(other, "name") } && Self.isSame(other, only)
    }
    return others.count == 1 ? only : nil
  }

  private static func isSame(_ member: JSONValue, _ known: Known) -> Bool {
    guard let url = text(member, "url"), text(member, "kind") == text(known.whole, "kind") else {
      return false
    }
    return url == text(known.whole, "url") || url == text(known.shown, "url")
  }

  private static func isSameServer(_ url: String, _ known: Known) -> Bool {
    if url == text(known.shown, "url") { return true }
    guard let new = Endpoint(url), let old = text(known.whole, "url").flatMap({ Endpoint($0) }) else {
      return false
    }
    return new.scheme == old.scheme && new.host.lowercased() == old.host.lowercased() && new.port == old.port
  }

  private static func member(_ key: String, of value: JSONValue) -> JSONValue? {
    if case .group(let members) = value { members[key] } else { nil }
  }

  /// Returns a value with its hidden parts from the stored one.
  private mutating func kept(_ value: JSONValue, _ whole: JSONValue, _ shown: JSONValue, _ path: String)
    -> JSONValue
  {
    switch value {
    case .text(let text) where Self.isHidden(text):
      if value == shown { return whole }
    case .group(let members):
      return .group(
        Dictionary(
          uniqueKeysWithValues: members.sorted { $0.key < $1.key }.map { key, value in
            guard Self.areIn(value) else { return (key, value) }
            guard let whole = Self.member(key, of: whole), let shown = Self.member(key, of: shown) else {
              refuse(path, "the destination has none; enter it")
              return (key, value)
            }
            return (key, kept(value, whole, shown, path))
          }))
    case .text, .null, .boolean, .number, .list: break
    }
    refuse(path, "it differs from the stored value; enter it again")
    return value
  }

  private mutating func refuse(_ path: String, _ reason: String) {
    let location = SettingLocation(file: OperatorRequest.bodyName, path: path)
    faults.append(.missing(location, remedy: "a hidden value stands for the stored one, but \(reason)"))
  }
}
