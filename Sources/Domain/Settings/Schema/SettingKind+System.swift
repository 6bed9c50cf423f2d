extension SettingKind where Value == [String] {
  /// A list of texts of one kind. `name` describes the elements.
  static func list(of kind: SettingKind<String>, _ name: String) -> Self {
    let expected = "a list of \(name)"
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true, text: { $0.joined(separator: " ") },
      written: { elements, _ in .list(elements.map(JSONValue.text)) }
    ) { value, path, findings in
      guard case .list(let values) = value else {
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.described) }
        return nil
      }
      guard !findings.addExcess(of: values.count, over: SettingLimits.members, at: path) else { return nil }
      let elements = values.enumerated().compactMap { index, element in
        kind.read(element, "\(path)[\(index)]", &findings)
      }
      return elements.count == values.count ? elements : nil
    }.shaped(SettingShape(.list))
  }
}

extension SettingKind where Value == String {
  /// A device tree overlay with its parameters.
  static var overlay: Self {
    let longest = SystemSettings.longestLine - "dtoverlay=".utf8.count
    return checked("an overlay NAME or NAME,PARAMETER=VALUE of at most \(longest) characters, without spaces")
    {
      let name = $0.prefix { $0 != "," }
      return $0.utf8.count <= longest && $0.isPrintableWord && !name.isEmpty
        && name.utf8.allSatisfy { $0.isNameByte }
    }
  }

  /// A line of config.txt whose key a board file may set.
  static var bootParameter: Self {
    let keys = SystemSettings.parameterKeys.joined(separator: ", ")
    let expected =
      "KEY=VALUE of at most \(SystemSettings.longestLine) characters, without spaces and "
      + SystemSettings.harmfulParameters.joined(separator: ", ") + ", with one of the keys \(keys)"
    return checked(expected) { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard text.utf8.count <= SystemSettings.longestLine, text.isPrintableWord, parts.count == 2,
        !parts[1].isEmpty
      else { return false }
      return SystemSettings.parameterKeys.contains(String(parts[0]))
        && !SystemSettings.harmfulParameters.contains { parts[1].contains($0) }
    }
  }

  /// The name of a kernel module.
  static var module: Self {
    checked("the name of a kernel module") { !$0.isEmpty && $0.utf8.allSatisfy { $0.isNameByte } }
  }

  /// The name of a service of systemd, which becomes an argument of systemctl(1).
  static var service: Self {
    checked("the name of a service without the suffix .service, as in serial-getty@ttyAMA0") { text in
      !text.isEmpty && text.utf8.count <= 200 && !text.hasPrefix("-") && !text.hasPrefix(".")
        && !text.hasSuffix(".service")
        && text.utf8.allSatisfy { $0.isNameByte || [0x40, 0x2E, 0x3A].contains($0) }
    }
  }

  /// The name of a host, as a client gives it without a port.
  static var hostName: Self {
    checked("a host name without port, as in gw.example.net") { text in
      !text.isEmpty && text.utf8.count <= 253 && text.utf8.allSatisfy { $0.isNameByte || $0 == 0x2E }
    }
  }

  private static func checked(_ expected: String, _ isSound: @escaping @Sendable (String) -> Bool) -> Self {
    SettingKind(expected, text: { $0 }, written: { value, _ in .text(value) }) { value in
      guard case .text(let text) = value else { return .wrongType }
      return isSound(text) ? .value(text) : .badValue
    }
  }
}

extension UInt8 {
  /// True for a letter, a digit, `-` and `_` of ASCII.
  fileprivate var isNameByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
}

extension String {
  /// True if all characters are printable ASCII without spaces.
  fileprivate var isPrintableWord: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
