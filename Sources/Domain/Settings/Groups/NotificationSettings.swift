import Quantities
import Records

/// The settings of one hook of `notifications`. Defaults are those of the schema.
public struct NotificationSettings: Equatable, Sendable {
  public var to: NotificationHook = Field.to.fallback
  /// The names of groups and kinds of events; empty for the usual kinds.
  public var kinds: [String] = Field.kinds.fallback
  public var quiet: QuietHours? = Field.quiet.fallback
  public var atMost: NotificationLimit? = Field.atMost.fallback
  public var form: NotificationForm = Field.form.fallback
  public var headers: [HeaderSetting] = Field.headers.fallback

  /// True if only the program or URL was given, as a text. Such a hook gets what it got before there were other settings.
  public var isPlain = false

  init() {}

  /// Creates the settings of a hook that is given as a text.
  public init(plain hook: NotificationHook) {
    to = hook
    isPlain = true
  }

  /// The maximum number of hooks.
  static let mostHooks = 4
}

/// At most `count` calls in every `period`.
public struct NotificationLimit: Equatable, Sendable {
  public let count: Int
  public let period: Duration

  static let expected = "a number of calls per duration, as in \"1 per 10m\""
  private static let counts = 1...100
  private static let periods: ClosedRange<Int64> = 1000...86_400_000

  /// Reads `N per DURATION`; nil for anything else.
  init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 3, parts[1] == "per", let count = Int(parts[0]), Self.counts.contains(count),
      let period = UnitTable.duration.value(of: String(parts[2])), Self.periods.contains(period)
    else { return nil }
    (self.count, self.period) = (count, .milliseconds(period))
  }

  var text: String { "\(count) per \(UnitTable.duration.text(of: period.wholeMilliseconds))" }
}

/// The form in which a hook gets a notification.
public enum NotificationForm: String, Sendable, CaseIterable { case json, text }

extension NotificationSettings {
  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<NotificationSettings, Value>

    static let to = Of<NotificationHook>(
      "to", \.to, .notificationHook, default: .command(""), isRequired: true, applies: .atOnce,
      effect: .always,
      "Program, unit or URL that is called.")
    static let kinds = Of<[String]>(
      "kinds", \.kinds, .notificationKinds, default: [],
      defaultText: "those of the plain text",
      applies: .atOnce, effect: .always,
      "Groups of events, and single kinds, that are notified. A group stands for its warnings, the ends of "
        + "its faults, and events of the vehicle. A lasting fault is notified at its start and at its end.")
    static let quiet = Of<QuietHours?>(
      "quiet", \.quiet, .offOr(.quietHours), default: nil, applies: .atOnce, effect: .always,
      "Hours of the local day in which nothing is notified. One notification at their end has it all. The "
        + "last word before the device goes down is not held back. Without a date there are no quiet hours.")
    static let atMost = Of<NotificationLimit?>(
      "at_most", \.atMost, .offOr(.notificationLimit), default: nil, applies: .atOnce, effect: .always,
      "Most calls in a time. Further notifications are combined in the next call, with the number of those "
        + "that do not fit.")
    static let form = Of<NotificationForm>(
      "form", \.form, .word, default: .json, applies: .atOnce, effect: .always,
      "json is the event as one object. text is its sentence, with the headers Title, Priority and Tags, for "
        + "ntfy and similar services.")
    static let headers = Of<[HeaderSetting]>(
      "headers", \.headers, .headers, default: [], applies: .atOnce, effect: .always,
      "Additional headers of the request to a URL, such as Authorization. Their values are never shown.")

    static let table = SettingTable<NotificationSettings>([to, kinds, quiet, atMost, form, headers])
  }

  /// Adds an error for headers without a URL.
  @Sendable static func check(_ hook: NotificationSettings, _ path: String, _ findings: inout Findings) {
    guard case .command = hook.to, !hook.headers.isEmpty else { return }
    findings.add(.key, Shown.path(path, Field.headers.path)) { .conflict($0, with: "a program in to") }
  }
}

extension SettingKind where Value == [NotificationSettings] {
  /// A program, unit or URL, a group with further settings, or a list of such. A URL can contain secrets, so no message
  /// repeats it.
  static var notificationHooks: Self {
    let hook = SettingKind<NotificationHook>.notificationHook
    let table = NotificationSettings.Field.table
    let group = SettingKind<NotificationSettings>.group(
      of: table, empty: NotificationSettings(), check: NotificationSettings.check)
    let most = NotificationSettings.mostHooks
    let expected = "\"off\", \(hook.expected), \(group.expected), or a list of at most \(most) of them"
    return SettingKind(
      expected: expected, isLiteral: true, isCompound: true, isShown: false,
      memberKeys: table.settings.map { "[].\($0.path)" },
      members: table.descriptions.map { $0.inside("[].") },
      text: { hooks in
        let texts = hooks.map { $0.isPlain ? hook.text($0.to) : table.text(of: $0) }
        return texts.isEmpty ? "off" : texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"
      },
      written: { hooks, reveals in
        let values = hooks.map {
          $0.isPlain ? hook.written($0.to, reveals) : table.written($0, revealing: reveals)
        }
        return values.isEmpty ? .text("off") : values.count == 1 ? values[0] : .list(values)
      }
    ) { value, path, findings in
      switch value {
      case .text("off"): return []
      case .text, .group: return read(value, path, &findings).map { [$0] }
      case .list(let values) where (1...most).contains(values.count):
        let hooks = values.enumerated().compactMap { index, element in
          read(element, "\(path)[\(index)]", &findings)
        }
        return hooks.count == values.count ? hooks : nil
      case .list:
        findings.add(.value, path) {
          .badValue($0, expected: expected, got: "a list of \(values(value)) elements")
        }
        return nil
      case .null, .boolean, .number:
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.kind) }
        return nil
      }

      func values(_ value: JSONValue) -> Int {
        if case .list(let elements) = value { elements.count } else { 0 }
      }

      func read(_ value: JSONValue, _ path: String, _ findings: inout Findings) -> NotificationSettings? {
        switch value {
        case .group: group.read(value, path, &findings)
        case .null, .boolean, .number, .text, .list:
          hook.read(value, path, &findings).map { NotificationSettings(plain: $0) }
        }
      }
    }.shaped(SettingShape(.object).orOff)
  }
}

extension SettingKind where Value == [String] {
  /// Names of groups and kinds of events.
  static var notificationKinds: Self {
    let groups = EventGroup.allCases.map(\.rawValue)
    let known = Set(groups + EventKind.allCases.map(\.rawValue) + ["visit_arrived", "visit_left"])
    let name = SettingKind<String>(
      "a group (\(groups.joined(separator: ", "))) or the kind of an event", text: { $0 }
    ) { value in
      guard case .text(let text) = value else { return .wrongType }
      return known.contains(text) ? .value(text) : .badValue
    }
    return .list(of: name, "groups (\(groups.joined(separator: ", "))) and kinds of events")
  }
}

extension SettingKind where Value == QuietHours {
  static var quietHours: Self {
    SettingKind("a period of the day as in \"22:00-06:00\"", text: \.text) { value in
      guard case .text(let text) = value else { return .wrongType }
      return QuietHours(text).map(Outcome.value) ?? .badValue
    }
  }
}

extension SettingKind where Value == NotificationLimit {
  static var notificationLimit: Self {
    SettingKind(NotificationLimit.expected, text: \.text) { value in
      guard case .text(let text) = value else { return .wrongType }
      return NotificationLimit(text).map(Outcome.value) ?? .badValue
    }
  }
}
