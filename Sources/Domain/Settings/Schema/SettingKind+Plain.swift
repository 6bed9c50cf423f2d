extension SettingKind where Value == String {
  /// One line of text, possibly empty.
  static var text: Self { plain("a text of one line", allowsEmpty: true) }

  /// One line of text of at most `bytes` bytes, possibly empty.
  static func text(atMost bytes: Int) -> Self {
    plain("a text of one line of at most \(bytes) bytes", allowsEmpty: true, atMost: bytes)
  }

  /// One line of text, not empty, of at most ``SettingLimits/name`` bytes.
  static var name: Self {
    let bytes = SettingLimits.name
    return plain(
      "a text of one line, not empty, of at most \(bytes) bytes", allowsEmpty: false, atMost: bytes)
  }

  /// The path of a file, directory or device.
  static var path: Self { plain("a path", allowsEmpty: false, atMost: SettingLimits.path) }

  private static func plain(
    _ expected: String, allowsEmpty: Bool, atMost bytes: Int = SettingLimits.text
  ) -> Self {
    SettingKind(
      expected, longest: bytes, text: { $0.isEmpty ? "\"\"" : $0 }, written: { value, _ in .text(value) }
    ) { value in
      guard case .text(let text) = value else { return .wrongType }
      return text.isOneLine && (allowsEmpty || !text.isEmpty) ? .value(text) : .badValue
    }
  }
}

extension SettingKind where Value == Secret {
  /// A token: not empty, and valid in a header line. The placeholder that a listing shows is rejected.
  static var secret: Self {
    SettingKind(
      "a text of one line, not empty", isShown: false, text: \.description,
      written: { secret, reveals in .text(reveals ? secret.revealed : secret.description) }
    ) { value in
      guard case .text(let text) = value else { return .wrongType }
      let secret = Secret(text)
      return text.isOneLine && !text.isEmpty && text != secret.description ? .value(secret) : .badValue
    }.shaped(SettingShape(.secret))
  }
}

extension SettingKind where Value == [String] {
  /// A list of lines of text.
  static var lines: Self {
    let expected = "a list of texts"
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true, text: { $0.joined(separator: " ") },
      written: { lines, _ in .list(lines.map(JSONValue.text)) }
    ) {
      value, path, findings in
      guard case .list(let elements) = value else {
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.described) }
        return nil
      }
      guard !findings.addExcess(of: elements.count, over: SettingLimits.members, at: path) else {
        return nil
      }
      let lines = elements.enumerated().compactMap { index, element in
        SettingKind<String>.text.read(element, "\(path)[\(index)]", &findings)
      }
      return lines.count == elements.count ? lines : nil
    }.shaped(SettingShape(.list))
  }
}

extension SettingKind where Value == Bool {
  static var boolean: Self {
    SettingKind(
      "true or false", isLiteral: false, text: { $0 ? "true" : "false" },
      written: { flag, _ in .boolean(flag) }
    ) { value in
      guard case .boolean(let flag) = value else { return .wrongType }
      return .value(flag)
    }.shaped(SettingShape(.flag))
  }
}

extension SettingKind where Value == Int {
  static func integer(_ range: ClosedRange<Int>) -> Self {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return SettingKind(
      expected, isLiteral: false, text: { "\($0)" },
      written: { whole, _ in .number(Double(whole)) }
    ) { value in
      guard case .number(let number) = value else { return .wrongType }
      guard let whole = Int(exactly: number), range.contains(whole) else { return .badValue }
      return .value(whole)
    }.shaped(SettingShape(.integer, from: Double(range.lowerBound), to: Double(range.upperBound)))
  }
}

extension SettingKind where Value: RawRepresentable<String> & CaseIterable {
  /// One word of a closed vocabulary.
  static var word: Self {
    let words = Value.allCases.map { "\"\($0.rawValue)\"" }
    let expected =
      words.count > 1
      ? "\(words.dropLast().joined(separator: ", ")) or \(words.suffix(1).joined())" : words.joined()
    return SettingKind(expected, text: \.rawValue) { value in
      guard case .text(let text) = value else { return .wrongType }
      return Value(rawValue: text).map(Outcome.value) ?? .badValue
    }.shaped(SettingShape(choices: Value.allCases.map(\.rawValue)))
  }
}

extension String {
  /// True if there is no control character: neither a line end nor a NUL, which would truncate the text in C.
  var isOneLine: Bool {
    unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
  }
}
