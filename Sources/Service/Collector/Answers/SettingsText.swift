/// The remote settings of every response, as a JSON object (`set` of the Overland protocol).
///
/// A dotted key is a member of a group: `main.min_time` belongs to `main`. Integers, decimal numbers, `true` and `false`
/// are sent as such, all other values as strings.
public struct SettingsText: Equatable, Sendable {
  /// The object, such as `{"main":{"min_time":"5s"}}`.
  public let json: String

  /// Creates the text; nil if there are no settings.
  public init?(_ settings: [(key: String, value: String)]) {
    guard !settings.isEmpty else { return nil }
    var group = Group()
    for (key, value) in settings {
      group.set(key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...], value)
    }
    json = group.json
  }

  private struct Group {
    private var names: [String] = []
    private var values: [String: String] = [:]
    private var groups: [String: Group] = [:]

    /// Sets a value; a later one replaces an earlier one.
    mutating func set(_ path: ArraySlice<String>, _ value: String) {
      guard let name = path.first else { return }
      if !names.contains(name) { names.append(name) }
      if path.count == 1 {
        (values[name], groups[name]) = (value, nil)
      } else {
        values[name] = nil
        groups[name, default: Group()].set(path.dropFirst(), value)
      }
    }

    var json: String {
      let members = names.map { name in
        "\(jsonString(name)):\(groups[name]?.json ?? SettingsText.literal(values[name] ?? ""))"
      }
      return "{\(members.joined(separator: ","))}"
    }
  }

  private static func literal(_ value: String) -> String {
    value == "true" || value == "false" || isNumber(value) ? value : jsonString(value)
  }

  /// True for a number according to RFC 8259, section 6, without an exponent.
  private static func isNumber(_ value: String) -> Bool {
    let digits = value.hasPrefix("-") ? value.dropFirst() : value[...]
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, whole == "0" || !whole.hasPrefix("0") else { return false }
    return parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }
}
