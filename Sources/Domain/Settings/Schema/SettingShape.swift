/// The form of the value of a setting, for programs that edit it.
public struct SettingShape: Equatable, Sendable {
  /// The kind of the value.
  public enum Kind: String, Sendable, CaseIterable {
    case text, secret, choice, flag, integer, number
    /// A text of a number with its unit: a duration, a distance or a storage size.
    case duration, distance, size
    /// A list, or a group that is set as a whole, in JSON.
    case list, object
  }

  public private(set) var kind: Kind
  /// The unit of ``minimum`` and ``maximum``; nil without one.
  public private(set) var unit: String?
  public private(set) var minimum: Double?
  public private(set) var maximum: Double?
  /// The words of a choice; empty for other kinds.
  public private(set) var choices: [String] = []
  /// True if the word `off` is accepted, too.
  public private(set) var canBeOff = false

  init(_ kind: Kind) { self.kind = kind }

  init(_ kind: Kind, _ unit: String? = nil, from minimum: Double? = nil, to maximum: Double? = nil) {
    (self.kind, self.unit, self.minimum, self.maximum) = (kind, unit, minimum, maximum)
  }

  /// One of these words.
  init(choices: [String]) {
    kind = .choice
    self.choices = choices
  }

  /// The same form, or the word `off`.
  var orOff: SettingShape {
    var shape = self
    shape.canBeOff = true
    return shape
  }
}

extension SettingsReference {
  /// All settings as one JSON object, in the order of ``all``. The members of a list are those of one element, as in
  /// `destinations.*.url`.
  public static var json: String {
    "{\"settings\": [\(all.map(row).joined(separator: ",\n"))]}"
  }

  /// ``json`` with the version of the program, for a server that checks the settings of its devices.
  public static func json(ofVersion version: String) -> String {
    "{\"version\": \(JSONValue.text(version).json), \(json.dropFirst())"
  }

  /// The key of a setting in ``json``.
  public static func key(of setting: SettingDescription) -> String {
    setting.path.split(separator: "[", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("]") ? "*\($0.dropFirst())" : String($0) }.joined(separator: ".")
  }

  private static func row(_ setting: SettingDescription) -> String {
    let shape = setting.shape
    let key = key(of: setting)
    var members: [(String, JSONValue)] = [
      ("key", .text(key)),
      ("group", .text(String(section(of: setting.path)))),
      ("sentence", .text(setting.sentence)),
      ("expected", .text(setting.expected)),
      ("kind", .text(shape.kind.rawValue)),
    ]
    if let unit = shape.unit { members.append(("unit", .text(unit))) }
    if let minimum = shape.minimum { members.append(("minimum", .number(minimum))) }
    if let maximum = shape.maximum { members.append(("maximum", .number(maximum))) }
    if !shape.choices.isEmpty { members.append(("choices", .list(shape.choices.map(JSONValue.text)))) }
    if shape.canBeOff { members.append(("off", .boolean(true))) }
    members += [
      ("default", setting.fallback),
      ("default_text", .text(setting.defaultText)),
      ("applies", .text(setting.applies == .atOnce ? "at_once" : "restart")),
      ("remote", .boolean(setting.fromServer != .never)),
      ("secret", .boolean(shape.kind == .secret)),
    ]
    return "{\(members.map { "\"\($0.0)\": \($0.1.json)" }.joined(separator: ", "))}"
  }
}
