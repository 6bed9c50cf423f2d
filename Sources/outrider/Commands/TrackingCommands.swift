import Settings

/// `outrider start`: the master switch on.
enum StartCommand: Command {
  static let name = "start"
  static let summary = "switch tracking on"
  static let help = """
    Usage: outrider start [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    Switches tracking on, now and after every restart. It is on unless outrider stop switched it off.

    \(ConfigurationFiles.optionHelp)
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 { try TrackingSwitch.turn(on: true, words) }
}

/// `outrider stop`: the master switch off.
enum StopCommand: Command {
  static let name = "stop"
  static let summary = "switch tracking off; the logger stays and answers"
  static let help = """
    Usage: outrider stop [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    Switches tracking off, now and after every restart: a running trip ends, the receiver rests, nothing is stored and
    nothing is sent. The logger goes on running and answers the local API.

    \(ConfigurationFiles.optionHelp)
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 { try TrackingSwitch.turn(on: false, words) }
}

enum TrackingSwitch {
  static func turn(on: Bool, _ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ConfigurationFiles.options, flags: [])
    try arguments.checkOperands(atMost: 0)
    var wishes = OperatorWishes()
    wishes.values["tracking"] = on ? "true" : "false"
    let files = ConfigurationFiles(arguments)
    do {
      let applied: OperatorSettings.Applied
      do {
        applied = try OperatorSettings.apply(wishes, to: files.load(), queue: .keep)
      } catch let refusal as ConfigurationFiles.Refusal {
        applied = try OperatorSettings.apply(wishes, through: LoggerSocket(files, inSpiteOf: refusal))
      }
      Console.print("tracking is \(on ? "on" : "off"): \(applied.text("set"))")
      return 0
    } catch let refusal as LocalCall.Refusal {
      Console.complain("\(refusal)")
      return 1
    }
  }
}
