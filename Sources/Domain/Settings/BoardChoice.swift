/// The choice of a board file: one of `boards/` by its name, or a file by its path.
public enum BoardChoice: Equatable, Sendable {
  /// The file `NAME.json5` in the directory of boards.
  case named(String)
  case file(path: String)

  /// Reads a text. One with a slash or the ending `.json5` is a path; any other is a name of letters, digits, `-` and `_`.
  /// Returns nil for an empty text, a path with control characters, and a name with other characters.
  public init?(_ text: String) {
    guard text.isOneLine, !text.isEmpty else { return nil }
    if text.contains("/") || text.hasSuffix(".json5") {
      self = .file(path: text)
    } else if text.utf8.count <= 64, Shown.key(text) == text {
      self = .named(text)
    } else {
      return nil
    }
  }

  /// The board that an override, or otherwise the configuration file, gives; nil if neither does.
  ///
  /// Only `board` is read, because every other setting can depend on the board file, which the caller reads next. Treat
  /// `--board X` as the override `board=X`, so that the listing has its origin.
  /// - Throws: the errors in the file's syntax or in the value of `board`.
  public static func named(in file: SourceText?, overrides: [String]) throws(SettingsErrors) -> BoardChoice? {
    var chosen = Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    var findings = Findings(file: Override.file, origin: .override, text: nil)
    let texts = overrides.compactMap(Override.init).filter { $0.key == Schema.board.path }
    if let text = texts.last {
      _ = Schema.board.accept(.text(text.value), at: Schema.board.path, into: &chosen, &findings)
    } else if let file {
      let parsed: ParsedText
      do { parsed = try ParsedText(file) } catch { throw SettingsErrors([error]) }
      findings = Findings(file: file.name, origin: .file, text: parsed)
      if case .group(let values) = parsed.value, let value = values[Schema.board.path] {
        _ = Schema.board.accept(value, at: Schema.board.path, into: &chosen, &findings)
      }
    }
    guard findings.errors.isEmpty else { throw SettingsErrors(findings.errors) }
    return chosen.board
  }

  /// The place of `board` in the configuration file; nil if it has none, or if an override takes precedence.
  public static func location(in file: SourceText?, overrides: [String]) -> SettingLocation? {
    guard let file, !overrides.contains(where: { Override($0)?.key == Schema.board.path }),
      let parsed = try? ParsedText(file), let mark = parsed.marks[Schema.board.path]
    else { return nil }
    return parsed.source.location(of: mark.value, path: Schema.board.path)
  }
}

extension BoardChoice: CustomStringConvertible {
  public var description: String {
    switch self {
    case .named(let name): name
    case .file(let path): path
    }
  }
}
