extension SettingKind where Value == [ZoneCorner] {
  /// `[[LATITUDE, LONGITUDE], …]` with three or more corners.
  static var corners: Self {
    let expected = "a list of three or more [LATITUDE, LONGITUDE], in °"
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true,
      text: { "\($0.count) corners" },
      written: { corners, _ in
        .list(corners.map { .list([.number($0.latitude), .number($0.longitude)]) })
      }
    ) { value, path, findings in
      guard case .list(let elements) = value else {
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.described) }
        return nil
      }
      let corners = elements.compactMap { element -> ZoneCorner? in
        guard case .list(let pair) = element, pair.count == 2, case .number(let latitude) = pair[0],
          case .number(let longitude) = pair[1], (-90...90).contains(latitude),
          (-180...180).contains(longitude)
        else { return nil }
        return ZoneCorner(latitude: latitude, longitude: longitude)
      }
      guard corners.count == elements.count, corners.count >= 3 else {
        findings.add(.value, path) { .badValue($0, expected: expected, got: "an invalid list") }
        return nil
      }
      return corners
    }.shaped(SettingShape(.list))
  }
}

extension SettingKind where Value == String {
  /// The hardware address of an access point (IEEE 802), six bytes, converted to lower case.
  static var hardwareAddress: Self {
    SettingKind("an address of six bytes as in 02:00:5e:10:00:01", text: { $0 }) { value in
      guard case .text(let text) = value else { return .wrongType }
      let bytes = text.split(separator: ":", omittingEmptySubsequences: false)
      let isSound = bytes.count == 6 && bytes.allSatisfy { $0.utf8.count == 2 && UInt8($0, radix: 16) != nil }
      return isSound ? .value(text.lowercased()) : .badValue
    }
  }

  /// The address and port on which a server listens.
  static var listenAddress: Self { address("\"0.0.0.0:8017\" or \"[::]:8017\"") }

  /// The address and port of a protocol without a sign-in.
  static var sharedAddress: Self { address("\"127.0.0.1:2947\" or \"[::1]:2947\"") }

  private static func address(_ examples: String) -> Self {
    SettingKind("ADDRESS:PORT, as in \(examples)", text: { $0 }) { value in
      guard case .text(let text) = value else { return .wrongType }
      guard let colon = text.lastIndex(of: ":"), UInt16(text[text.index(after: colon)...]) != nil,
        text[..<colon].hasSuffix("]") || !text[..<colon].contains(":"), colon != text.startIndex,
        text.isOneLine, !text.contains("/"), !text.contains(" ")
      else { return .badValue }
      return .value(text)
    }
  }
}

extension SettingKind where Value == NotificationHook {
  /// A program, a unit or a URL. A URL can contain secrets, so no message repeats the given value.
  static var notificationHook: Self {
    let expected =
      "the absolute path of a program, \(HookUnit.form), or an address https://HOST/… or http://HOST/…"
    return SettingKind(
      expected: expected, isLiteral: true, isCompound: false, isShown: false, text: \.description,
      written: { hook, reveals in
        switch hook {
        case .command(let path): .text(path)
        case .url(let endpoint): .text(reveals ? endpoint.text : endpoint.description)
        }
      }
    ) { value, path, findings in
      guard case .text(let text) = value else {
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.kind) }
        return nil
      }
      if text.hasPrefix("/") && text.isOneLine || HookUnit(text) != nil { return .command(text) }
      if let excess = SettingLimits.hostExcess(in: text) {
        findings.add(.value, path) { .badValue($0, expected: excess.expected, got: excess.got) }
        return nil
      }
      let endpoint = Endpoint(text)
      if let endpoint, !endpoint.isListed, !endpoint.isBroker { return .url(endpoint) }
      let got =
        endpoint?.isBroker == true
        ? "the address of an MQTT broker; hooks use HTTP: give a web address, or a program that publishes events"
        : "an invalid value"
      findings.add(.value, path) { .badValue($0, expected: expected, got: got) }
      return nil
    }
  }
}

extension SettingKind where Value == [String] {
  /// Dotted paths of settings or groups of settings.
  static var settingNames: Self {
    let expected = "a list of settings or groups of settings, as in [\"main\", \"send_interval\"]"
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true,
      text: { "[\($0.joined(separator: ", "))]" }, written: { names, _ in .list(names.map(JSONValue.text)) }
    ) { value, path, findings in
      guard case .list(let elements) = value else {
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.described) }
        return nil
      }
      guard !findings.addExcess(of: elements.count, over: SettingLimits.members, at: path) else {
        return nil
      }
      let errors = findings.count
      let names = elements.enumerated().compactMap { index, element -> String? in
        if case .text(let name) = element, Schema.table.knows(name) { return name }
        findings.add(.value, "\(path)[\(index)]") {
          .badValue($0, expected: "the name of a setting or of a group of settings", got: element.described)
        }
        return nil
      }
      return findings.count == errors ? names : nil
    }.shaped(SettingShape(.list))
  }
}
