extension SettingKind {
  /// A group with the settings of `table`, set as a whole. `--set` takes it as JSON5. `check` adds the errors of a group
  /// whose settings are valid on their own.
  static func group(
    of table: SettingTable<Value>, empty: Value,
    check: @escaping @Sendable (Value, _ path: String, inout Findings) -> Void = { _, _, _ in }
  ) -> Self {
    let keys = table.settings.map { $0.isRequired ? $0.path : "\($0.path)?" }
    let expected = "{ \(keys.joined(separator: ", ")) }"
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true,
      members: table.descriptions.map { $0.inside(".") },
      text: table.text,
      written: table.written
    ) {
      value, path, findings in
      guard case .group(let members) = value else {
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.described) }
        return nil
      }
      var group = empty
      let errors = findings.count
      _ = table.apply(members, at: path, to: &group, &findings)
      if findings.count == errors { check(group, path, &findings) }
      return findings.count == errors ? group : nil
    }
  }

  /// An optional component, or the word `"off"` for one that another source configures and this device lacks. It is a
  /// group, or with `mayBeNamed` also a text.
  static func optionalComponent<Wrapped>(_ kind: SettingKind<Wrapped>, mayBeNamed: Bool = false) -> Self
  where Value == Wrapped? {
    let expected = "\(kind.expected), or \"off\""
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true, isShown: kind.isShown,
      members: kind.members,
      text: { $0.map(kind.text) ?? "off" },
      written: { value, reveals in value.map { kind.written($0, reveals) } ?? .text("off") }
    ) { value, path, findings in
      if value == .text("off") { return .some(nil) }
      switch value {
      case .group: return kind.read(value, path, &findings).map { .some($0) }
      case .text where mayBeNamed: return kind.read(value, path, &findings).map { .some($0) }
      case .null, .boolean, .number, .text, .list:
        let got = kind.isShown ? value.described : value.kind
        findings.add(.value, path) { .wrongType($0, expected: expected, got: got) }
        return nil
      }
    }.shaped(kind.shape.orOff)
  }
}
