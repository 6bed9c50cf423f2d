import Quantities
import Scheduling
import Settings

/// `outrider settings`: describes the settings.
enum SettingsCommand: Command {
  static let name = "settings"
  static let group = CommandGroup.configure
  static let summary = "describe every setting"
  static let description = CommandDescription(
    forms: ["[KEY]…"],
    text: [
      "Describes all settings, or the named ones: accepted values, default, effect and cost."
    ],
    options: [
      .flag("--json", text: "print all settings as JSON, for outrider-collector fleet schema"),
      .flag("--markdown", text: "print the reference page"),
      .flag("--man", text: "print the manual page outrider.json5(5), in the format of man(7)"),
    ],
    exitStatus: "0 success, 2 no such setting",
    operands: .setting)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    if arguments.has("--json") {
      try arguments.checkOperands(atMost: 0)
      Console.print(SettingsReference.json(ofVersion: Release.version))
      return 0
    }
    if arguments.has("--markdown") {
      try arguments.checkOperands(atMost: 0)
      Console.print(SettingsReference.markdown + TrackingPolicy.referencePage)
      return 0
    }
    if arguments.has("--man") {
      try arguments.checkOperands(atMost: 0)
      Console.write(Array(ManualPage.configuration.roff.utf8))
      return 0
    }
    var selected: Set<String> = []
    for name in arguments.operands {
      let settings = SettingsReference.settings(named: name)
      guard !settings.isEmpty else {
        let nearest = SettingsReference.names(meantBy: name).map { "did you mean \($0)?" }
        throw Arguments.Misuse(
          message: "no setting \"\(name)\"; \(nearest ?? "outrider settings lists all of them")")
      }
      selected.formUnion(settings.map(\.path))
    }
    for setting in SettingsReference.all where selected.isEmpty || selected.contains(setting.path) {
      Console.print("\(setting.path)\n  \(setting.sentence)\n  value: \(setting.expected)")
      Console.print("  default: \(setting.defaultText); \(SettingsReference.circumstances(of: setting))\n")
    }
    return 0
  }
}
