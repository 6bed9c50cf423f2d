/// One error in the settings. No case contains a secret.
public enum SettingsError: Error, Equatable, Sendable {
  /// No setting has this path; `nearest` has the suggestions.
  case unknownKey(SettingLocation, nearest: String?)
  /// The number of further unknown settings after those that are listed individually.
  case moreUnknownKeys(SettingLocation, count: Int)
  /// A setting in a file or group where it is not allowed; `belongs` is the text after "it belongs".
  case misplacedKey(SettingLocation, belongs: String)
  /// A part of a list or group that can only be set as a whole.
  case partAlone(SettingLocation, of: String)
  /// A value of the wrong type.
  case wrongType(SettingLocation, expected: String, got: String)
  /// A value of the right type that is out of range or not one of the words.
  case badValue(SettingLocation, expected: String, got: String)
  /// No driver has this name; `known` are the available ones.
  case unknownChip(SettingLocation, name: String, known: [String])
  /// A key twice in one group; `firstLine` is the line of the first.
  case duplicateKey(SettingLocation, firstLine: Int)
  /// The text is not JSON5.
  case syntax(SettingLocation, SyntaxProblem)
  /// A required setting without a value.
  case missing(SettingLocation, remedy: String)
  /// A group with a missing or contradictory combination of settings.
  case incomplete(SettingLocation, remedy: String)
  /// A setting that excludes another one.
  case conflict(SettingLocation, with: String)
  /// A limit that must be below another and is not, so that the other is never reached.
  case notBelow(SettingLocation, got: String, other: String, limit: String)
  /// A GPIO line that another setting already uses.
  case lineTaken(SettingLocation, by: String)
  /// `--set` without `KEY=VALUE`; `key` is the part of its text that could be a key.
  case notAnOverride(key: String)
  /// No file in `boards/` has the name; `known` are the available ones.
  case boardNotFound(name: String, known: [String])
}

extension SettingsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownKey(let location, let nearest):
      "\(location): unknown setting" + (nearest.map { "; did you mean \($0)?" } ?? "")
    case .moreUnknownKeys(let location, let count):
      "\(location): \(count) more unknown setting" + (count == 1 ? "" : "s")
    case .misplacedKey(let location, let belongs):
      "\(location): not allowed here; it belongs \(belongs)"
    case .partAlone(let location, let whole):
      "\(location): \(whole) can only be set as a whole; set it in the configuration file, or as \(whole)=…"
    case .wrongType(let location, let expected, let got), .badValue(let location, let expected, let got):
      "\(location): expected \(expected), got \(got)"
    case .unknownChip(let location, let name, let known):
      "\(location): no driver for the chip \(Shown.quoted(name))"
        + (NearestKey.correction(of: name, among: known).map { "; did you mean \($0)? Available: " }
          ?? "; available: ")
        + known.joined(separator: ", ")
    case .duplicateKey(let location, let firstLine):
      "\(location): given twice, first on line \(firstLine); remove one of them"
    case .syntax(let location, let problem): "\(location): \(problem)"
    case .missing(let location, let remedy): "\(location): missing; \(remedy)"
    case .incomplete(let location, let remedy): "\(location): incomplete or contradictory; \(remedy)"
    case .conflict(let location, let other): "\(location): conflicts with \(other); remove one of them"
    case .notBelow(let location, let got, let other, let limit):
      "\(location): \(got) is not below \(other), which is \(limit); lower it, or raise \(other)"
    case .lineTaken(let location, let other):
      "\(location): the same GPIO line as \(other); give each its own line"
    case .notAnOverride(let key):
      "--set: expected KEY=VALUE, as in log.level=debug" + (key.isEmpty ? "" : "; = is missing after \(key)")
    case .boardNotFound(let name, let known):
      "board \(Shown.quoted(name)): not found"
        + (NearestKey.correction(of: name, among: known).map { "; did you mean \($0)? Available: " }
          ?? "; available: ")
        + (known.isEmpty ? "none" : known.sorted().joined(separator: ", "))
    }
  }
}

extension SettingsError {
  /// The error with the values that the setting accepts, if it is a syntax error at the value of a setting.
  var explained: SettingsError {
    guard case .syntax(let location, let problem) = self, let setting = Schema.table[location.path] else {
      return self
    }
    switch problem {
    case .textWithoutQuotes:
      return .wrongType(location, expected: setting.expected, got: "unquoted text")
    case .unreadable:
      return .wrongType(
        location, expected: setting.expected,
        got: "an invalid number or escape; text must be quoted")
    case .tooLarge, .notUTF8, .empty, .notAGroup, .textAfterEnd, .unexpected, .neverClosed, .unterminatedText,
      .unterminatedComment, .tooDeep, .tooManyValues:
      return self
    }
  }
}
