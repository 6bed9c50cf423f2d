import Settings

/// `outrider start`: switches tracking on.
enum StartCommand: Command {
  static let name = "start"
  static let group = CommandGroup.control
  static let summary = "switch tracking on"
  static let description = CommandDescription(
    text: [
      """
      Switches tracking on, now and after every restart. Tracking is on by default; outrider stop \
      switches it off.
      """
    ],
    options: ConfigurationFiles.options)

  static func run(_ words: ArraySlice<String>) throws -> Int32 { try TrackingSwitch.turn(on: true, words) }
}

/// `outrider stop`: switches tracking off.
enum StopCommand: Command {
  static let name = "stop"
  static let group = CommandGroup.control
  static let summary = "switch tracking off; the logger keeps running"
  static let description = CommandDescription(
    text: [
      """
      Switches tracking off, now and after every restart: the trip ends, the receiver sleeps, nothing is \
      stored or sent. The logger keeps running and serves the local API.
      """
    ],
    options: ConfigurationFiles.options)

  static func run(_ words: ArraySlice<String>) throws -> Int32 { try TrackingSwitch.turn(on: false, words) }
}

/// Changes the setting `tracking` for `outrider start` and `outrider stop`.
enum TrackingSwitch {
  static func turn(on: Bool, _ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, StartCommand.description)
    try arguments.checkOperands(atMost: 0)
    var request = OperatorRequest()
    request.values["tracking"] = on ? "true" : "false"
    let files = ConfigurationFiles(arguments)
    do {
      let applied: OperatorSettings.Applied
      do {
        applied = try OperatorSettings.apply(request, to: files.load(), queue: .keep)
      } catch let refusal as ConfigurationFiles.Refusal {
        applied = try OperatorSettings.apply(request, through: LoggerSocket(files, inSpiteOf: refusal))
      }
      Console.print("tracking is \(on ? "on" : "off"): \(applied.text("set"))")
      return 0
    } catch let refusal as LocalCall.Refusal {
      Console.complain("\(refusal)")
      return 1
    }
  }
}
