import Quantities

extension SettingKind where Value == ReceiverSpeed {
  /// `"auto"`, or a rate in bit/s as a number.
  static func speed(_ range: ClosedRange<UInt32>) -> Self {
    let expected = "\"auto\" or a number from \(range.lowerBound) to \(range.upperBound)"
    return SettingKind(
      expected, isLiteral: false, text: \.description,
      written: { speed, _ in
        switch speed {
        case .automatic: .text("auto")
        case .fixed(let rate): .number(Double(rate))
        }
      }
    ) { value in
      switch value {
      case .text("auto"): return .value(.automatic)
      case .text: return .badValue
      case .number(let number):
        guard let speed = UInt32(exactly: number), range.contains(speed) else { return .badValue }
        return .value(.fixed(speed))
      case .null, .boolean, .list, .group: return .wrongType
      }
    }
  }
}

extension SettingKind where Value == GPSDAddress {
  static var gpsd: Self {
    SettingKind(
      "HOST or HOST:PORT, an IPv6 address in brackets, as in \"localhost:2947\"", text: \.description
    ) { value in
      guard case .text(let text) = value else { return .wrongType }
      return GPSDAddress(text).map(Outcome.value) ?? .badValue
    }
  }
}

extension SettingKind where Value == BoardChoice {
  static var board: Self {
    SettingKind(
      "the name of a board (letters, digits, - and _), or the path of a board file", text: \.description
    ) { value in
      guard case .text(let text) = value else { return .wrongType }
      return BoardChoice(text).map(Outcome.value) ?? .badValue
    }
  }
}

extension SettingKind where Value == Endpoint {
  /// The address of a server. Its path and query can contain secrets, so no message repeats it.
  static var endpoint: Self {
    SettingKind(
      "an address https://HOST/…, http://HOST/…, mqtts://HOST or mqtt://HOST", isShown: false,
      text: \.description,
      written: { endpoint, reveals in .text(reveals ? endpoint.text : endpoint.description) }
    ) { value in
      guard case .text(let text) = value else { return .wrongType }
      if let excess = SettingLimits.hostExcess(in: text) {
        return .badPart(expected: excess.expected, got: excess.got)
      }
      return Endpoint(text).map(Outcome.value) ?? .badValue
    }
  }
}

extension SettingKind {
  /// A list of at most `most` groups with the settings of `table`. The text at `key` must be unique.
  static func list<Element>(
    of table: SettingTable<Element>, named key: String, _ name: KeyPath<Element, String> & Sendable,
    atMost most: Int = SettingLimits.members, empty: Element,
    check: @escaping @Sendable (Element, _ path: String, inout Findings) -> Void = { _, _, _ in }
  ) -> Self where Value == [Element] {
    let keys = table.settings.map { $0.isRequired ? $0.path : "\($0.path)?" }
    let expected = "a list of { \(keys.joined(separator: ", ")) }"
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true,
      memberKeys: table.settings.map { "[].\($0.path)" },
      members: table.descriptions.map { $0.inside("[].") },
      text: { elements in "[\(elements.map(table.text).joined(separator: ", "))]" },
      written: { elements, reveals in .list(elements.map { table.written($0, revealing: reveals) }) }
    ) { value, path, findings in
      guard case .list(let values) = value else {
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.kind) }
        return nil
      }
      guard !findings.addExcess(of: values.count, over: most, at: path) else { return nil }
      var elements: [Element] = []
      var names: Set<String> = []
      var isSound = true
      for (index, value) in values.enumerated() {
        let elementPath = "\(path)[\(index)]"
        guard case .group(let members) = value else {
          findings.add(.value, elementPath) {
            .wrongType($0, expected: "{ \(keys.joined(separator: ", ")) }", got: value.kind)
          }
          isSound = false
          continue
        }
        var element = empty
        let errors = findings.count
        _ = table.apply(members, at: elementPath, to: &element, &findings)
        if findings.count == errors { check(element, elementPath, &findings) }
        let given = element[keyPath: name]
        if !given.isEmpty, !names.insert(given).inserted {
          findings.add(.value, Shown.path(elementPath, key)) {
            .badValue($0, expected: "a unique \(key)", got: "\(Shown.quoted(given)) again")
          }
        }
        isSound = isSound && findings.count == errors
        elements.append(element)
      }
      return isSound ? elements : nil
    }.shaped(SettingShape(.list))
  }
}

extension SettingTable {
  /// The group on one line, as in a file, with secrets hidden.
  func text(of root: Root) -> String {
    let members = settings.filter { $0.isRequired || !$0.isDefault(in: root) }
    return "{ \(members.map { "\($0.path): \($0.text(in: root))" }.joined(separator: ", ")) }"
  }

  /// The group as in a file.
  func written(_ root: Root, revealing: Bool) -> JSONValue {
    var members: [String: JSONValue] = [:]
    for setting in settings where setting.isRequired || !setting.isDefault(in: root) {
      members[setting.path] = setting.written(in: root, revealing: revealing)
    }
    return .group(members)
  }
}
