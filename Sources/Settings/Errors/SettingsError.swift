/// One thing wrong with the settings. No case ever carries a secret.
public enum SettingsError: Error, Equatable, Sendable {
  /// No setting has this path; `nearest` names those that were probably meant.
  case unknownKey(SettingsPlace, nearest: String?)
  /// Further settings that do not exist, behind those that are told one by one.
  case moreUnknownKeys(SettingsPlace, count: Int)
  /// A setting in a file or group where it has no meaning; `belongs` is to stand after "it belongs".
  case misplacedKey(SettingsPlace, belongs: String)
  /// A part of a list or group that has a value as a whole only.
  case partAlone(SettingsPlace, of: String)
  /// A value of another sort than the setting takes.
  case wrongType(SettingsPlace, expected: String, got: String)
  /// A value of the right sort outside the range or the words.
  case badValue(SettingsPlace, expected: String, got: String)
  /// No driver has this name; `known` are those that exist.
  case unknownChip(SettingsPlace, name: String, known: [String])
  /// A key twice in one group; `firstLine` is the line of the first.
  case duplicateKey(SettingsPlace, firstLine: Int)
  /// The text is not JSON5.
  case syntax(SettingsPlace, SyntaxProblem)
  /// A setting without a value that cannot do without.
  case missing(SettingsPlace, remedy: String)
  /// A group whose settings do not make a whole.
  case incomplete(SettingsPlace, remedy: String)
  /// A setting beside another that says the opposite.
  case conflict(SettingsPlace, with: String)
  /// A limit that is to lie below another and does not, so that the other is never reached.
  case notBelow(SettingsPlace, got: String, other: String, limit: String)
  /// A line that another setting has already; no two can share one.
  case lineTaken(SettingsPlace, by: String)
  /// `--set` with something other than `KEY=VALUE`; `key` is its beginning as far as it could be a key.
  case notAnOverride(key: String)
  /// No file in `boards/` bears the name; `known` are those that exist.
  case boardNotFound(name: String, known: [String])
}

extension SettingsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownKey(let place, let nearest):
      "\(place): unknown setting" + (nearest.map { "; did you mean \($0)?" } ?? "")
    case .moreUnknownKeys(let place, let count):
      "\(place): \(count) more unknown setting" + (count == 1 ? "" : "s")
    case .misplacedKey(let place, let belongs):
      "\(place): not here; it belongs \(belongs)"
    case .partAlone(let place, let whole):
      "\(place): part of \(whole), which is given as a whole: in the configuration file, or as \(whole)=…"
    case .wrongType(let place, let expected, let got), .badValue(let place, let expected, let got):
      "\(place): expected \(expected), got \(got)"
    case .unknownChip(let place, let name, let known):
      "\(place): no driver for the chip \(Shown.quoted(name))"
        + (NearestKey.slip(of: name, among: known).map { "; did you mean \($0)?" } ?? ".")
        + " There are: \(known.joined(separator: ", "))"
    case .duplicateKey(let place, let firstLine):
      "\(place): given twice, first on line \(firstLine); remove one of them"
    case .syntax(let place, let problem): "\(place): \(problem)"
    case .missing(let place, let remedy): "\(place): missing; \(remedy)"
    case .incomplete(let place, let remedy): "\(place): incomplete or contradictory; \(remedy)"
    case .conflict(let place, let other): "\(place): not together with \(other); remove one of them"
    case .notBelow(let place, let got, let other, let limit):
      "\(place): \(got) is not below \(other), which is \(limit); lower the one or raise the other"
    case .lineTaken(let place, let other): "\(place): the same line as \(other); each needs one of its own"
    case .notAnOverride(let key):
      "--set: expected KEY=VALUE, as in log.level=debug" + (key.isEmpty ? "" : "; no = follows \(key)")
    case .boardNotFound(let name, let known):
      "board \(Shown.quoted(name)): not found"
        + (NearestKey.slip(of: name, among: known).map { "; did you mean \($0)?" } ?? ".")
        + (known.isEmpty ? "" : " There are: \(known.sorted().joined(separator: ", "))")
    }
  }
}

extension SettingsError {
  /// A syntax error at the value of a setting, in the words of that setting.
  var explained: SettingsError {
    guard case .syntax(let place, let problem) = self, let setting = Schema.table[place.path] else {
      return self
    }
    switch problem {
    case .textWithoutQuotes:
      return .wrongType(place, expected: setting.expected, got: "text without quotes")
    case .unreadable:
      return .wrongType(
        place, expected: setting.expected,
        got: "a number or escape that cannot be read; text must stand in quotes")
    case .tooLarge, .notUTF8, .empty, .notAGroup, .textAfterEnd, .unexpected, .neverClosed, .unterminatedText,
      .unterminatedComment, .tooDeep, .tooManyValues:
      return self
    }
  }
}
