extension Configuration {
  /// Merges the layers over the defaults, lowest first: board file, values of `usage_profile`, configuration file,
  /// server, operator, overrides.
  ///
  /// - Parameters:
  ///   - board: the board file that ``BoardChoice`` selects.
  ///   - file: the configuration file.
  ///   - stored: the values that servers and operator set at run time. An invalid value is no error: it is ignored and
  ///     listed in ``storedFaults``. Values that a server may not set (``ServerPermissions``) are ignored.
  ///   - overrides: texts `KEY=VALUE`. Texts, words and quantities are taken literally, everything else as JSON5. The last
  ///     one for a key wins.
  ///   - fallbacks: the defaults that depend on the host.
  ///   - chips: the chips for which the caller has drivers; any other is rejected.
  /// - Returns: every setting with its effective value.
  /// - Throws: all errors of all sources.
  public static func read(
    board: SourceText?, file: SourceText?, stored: StoredLayers = StoredLayers(), overrides: [String],
    fallbacks: Fallbacks, chips: ChipNames = ChipNames()
  ) throws(SettingsErrors) -> Configuration {
    var permitted = stored
    if !stored.server.isEmpty {
      // All other layers determine the permissions of servers.
      var others = stored
      others.server = [:]
      let permissions = ServerPermissions(
        try merge(
          board: board, file: file, stored: others, overrides: overrides, fallbacks: fallbacks, chips: chips))
      permitted = stored.applyingPermissions(permissions)
    }
    return try merge(
      board: board, file: file, stored: permitted, overrides: overrides, fallbacks: fallbacks, chips: chips)
  }

  private static func merge(
    board: SourceText?, file: SourceText?, stored: StoredLayers, overrides: [String], fallbacks: Fallbacks,
    chips: ChipNames
  ) throws(SettingsErrors) -> Configuration {
    var configuration = Configuration(fallbacks: fallbacks)
    var errors: [SettingsError] = []
    if let board { errors += configuration.apply(board, from: .board, chips) }
    if let file { errors += configuration.apply(file, from: .file, chips) }
    configuration.apply(stored, chips)
    for text in overrides {
      guard let override = Override(text) else {
        errors.append(.notAnOverride(key: Override.keyPart(of: text)))
        continue
      }
      errors += configuration.apply(override, from: .override, in: Override.file, chips)
    }
    configuration.applyProfile(chips)
    configuration.applyDestinationLayer(stored, chips)
    if let file { configuration.overriddenKeys = configuration.overridden(in: file, by: stored, chips) }
    if errors.isEmpty { errors = configuration.linesTakenTwice + configuration.limitsOutOfOrder }
    if configuration.api.listen != nil, configuration.api.token == nil {
      let source: String? =
        switch configuration.origins[Schema.apiListen.path] {
        case .board: board?.name
        case .file: file?.name
        case .operator: StoredLayers.operatorName
        case .override: Override.file
        case .default, .profile, .server, nil: nil
        }
      errors.append(
        .missing(
          SettingLocation(file: source ?? "", path: Schema.apiToken.path),
          remedy: "api.listen serves other machines; give a token that they must send"))
    }
    if let error = configuration.hostWithoutWakeSource { errors.append(error) }
    errors += configuration.powerManagerErrors
    guard errors.isEmpty else { throw SettingsErrors(errors) }
    return configuration
  }

  /// Applies a file and returns all its errors.
  mutating func apply(_ source: SourceText, from origin: Origin, _ chips: ChipNames)
    -> [SettingsError]
  {
    do {
      let text = try ParsedText(source)
      guard case .group(let values) = text.value else {
        return [.syntax(source.location(of: text.marks[""]?.value, path: ""), .notAGroup)]
      }
      var findings = Findings(file: source.name, origin: origin, text: text, chips: chips)
      apply(values, &findings)
      return findings.errors
    } catch {
      return [error.explained]
    }
  }

  /// Applies `KEY=VALUE` from a source that messages call `name`, and returns all errors.
  mutating func apply(_ override: Override, from origin: Origin, in name: String, _ chips: ChipNames)
    -> [SettingsError]
  {
    let setting = Schema.table[override.key]
    var parsed: ParsedText?
    var value = JSONValue.text(override.value)
    // A setting that takes a text or a group: nothing else begins with a bracket.
    let isGroup = ["{", "["].contains(override.value.first { !$0.isWhitespace })
    if let setting, !setting.isLiteral || setting.isCompound && isGroup {
      do {
        let text = try ParsedText(
          SourceText(name: name, bytes: Array(override.value.utf8)), root: override.key)
        value = text.value
        if setting.isCompound { parsed = text }
      } catch {
        // The syntax error of a list or group is reported. The kind of the setting rejects a single value that is not JSON5,
        // and a bare word such as "off" or a name.
        if setting.isCompound, Shown.key(override.value) != override.value { return [error] }
      }
    }
    var findings = Findings(file: name, origin: origin, text: parsed, chips: chips)
    let components = override.key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard Schema.table.knows(override.key) else {
      findings.add(.key, components.reduce("", Shown.path)) { Schema.unknown(override.key, at: $0) }
      return findings.errors
    }
    for component in components.dropFirst().reversed() { value = .group([component: value]) }
    if let first = components.first { apply([first: value], &findings) }
    return findings.errors
  }

  private mutating func apply(_ values: [String: JSONValue], _ findings: inout Findings) {
    let given = Schema.table.apply(values, at: "", to: &self, &findings)
    for path in given where origins[path] != nil {
      origins[path] = findings.origin
      givenMembers = givenMembers.filter { !$0.hasPrefix("\(path)[") }
    }
    givenMembers.formUnion(findings.members)
    chooseReceiver(given: given, &findings)
  }

  /// Keeps one interface to the receiver. A source that gives a port or a gpsd replaces that of lower sources. A source
  /// that gives both causes an error.
  private mutating func chooseReceiver(given: [String], _ findings: inout Findings) {
    let port = Schema.port.path
    let gpsd = Schema.gpsd.path
    switch (given.contains(port), given.contains(gpsd)) {
    case (false, false): break
    case (true, true): findings.add(.key, gpsd) { .conflict($0, with: port) }
    case (true, false):
      receiver.gpsd = Schema.gpsd.fallback
      origins[gpsd] = .default
    case (false, true):
      receiver.port = Schema.port.fallback
      origins[port] = .default
    }
  }
}
