import Settings
import Tracking

/// `outrider settings`: what can be set.
enum SettingsCommand: Command {
  static let name = "settings"
  static let summary = "explain every setting"
  static let help = """
    Usage: outrider settings [--markdown] [KEY]…

    Says of every setting, or of those named, what it takes, its default and what it does and costs.

      --markdown   as the reference page

    Exit status: 0 printed, 2 no such setting.
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: [], flags: ["--markdown"])
    if arguments.has("--markdown") {
      try arguments.checkOperands(atMost: 0)
      Console.print(SettingsReference.markdown + ReceiverScheme.referencePage)
      return 0
    }
    let settings = SettingsReference.all
    let wanted = arguments.operands
    for name in wanted where !settings.contains(where: { $0.path == name || $0.path.hasPrefix("\(name).") }) {
      throw Arguments.Misuse(message: "no setting \"\(name)\"; outrider settings lists them")
    }
    for setting in settings {
      guard
        wanted.isEmpty || wanted.contains(where: { setting.path == $0 || setting.path.hasPrefix("\($0).") })
      else { continue }
      Console.print("\(setting.path)\n  \(setting.sentence)\n  takes \(setting.expected)")
      Console.print("  default \(setting.defaultText); \(SettingsReference.circumstances(of: setting))\n")
    }
    return 0
  }
}
