import GNSSProtocol
import Glibc
import Provisioning
import Settings
import System

/// `outrider setup` on a device without configuration: asks the questions of ``SetupDialogue`` or takes the values of a
/// setup URL, and tests, writes and starts.
struct SetupWizard {
  static let options: [CommandOption] = [
    .value(
      "--port", "PATH", .file,
      text: "serial port of the receiver, if it is not the one of the board; gpsd to share it with gpsd"),
    .value(
      "--kind", "KIND", .words(["overland", "owntracks", "query", "file", "none"]),
      text: "overland (default), owntracks, query, file or none"),
    .value("--url", "ADDRESS", text: "complete address of the server; for --kind file the directory"),
    .value(
      "--token", "TOKEN", text: "token; other users can see a command line, so prefer --token-file"),
    .value("--token-file", "FILE", .file, text: "file with the token in its first line"),
    .value("--device-id", "NAME", text: "name of the device (default: the host name)"),
    .flag("--no-test", text: "do not test the destination"),
    .flag("--no-start", text: "do not start the service"),
  ]

  private let arguments: Arguments
  private let target: String
  private let facts = HostReader()

  init(_ arguments: Arguments) {
    self.arguments = arguments
    let path =
      arguments.value("--config") ?? ProcessEnvironment.variable("OUTRIDER_CONFIG")
      ?? ConfigurationLocation(facts.mounts).target
    // The directory is flushed, too, and so must be a part of the path.
    target = path.contains("/") ? path : "./\(path)"
  }

  /// Asks for the values, except for those given as options.
  func run() throws -> Int32 { try perform { terminal in try run(on: terminal) } }

  /// Takes the values of a setup URL and the hardware that was detected.
  func run(_ url: SetupURL) throws -> Int32 {
    try perform { terminal in
      var draft = ConfigurationDraft(url, facts.hardware)
      draft.board = arguments.value("--board") ?? draft.board
      if draft.board == nil {
        Console.complain(
          "setup: no receiver was detected; name the board with --board, or run outrider setup")
        return 1
      }
      if draft.destination == nil {
        Console.complain(
          "setup: the setup URL contains no url, so no server is configured and nothing is sent")
      }
      return try finish(draft, on: terminal)
    }
  }

  private func perform(_ work: (Terminal?) throws -> Int32) throws -> Int32 {
    if let obstacle = ConfigurationWriter.obstacle(target) {
      Console.complain("setup: \(obstacle)")
      return 1
    }
    let terminal = Terminal.isPresent ? try Terminal() : nil
    do {
      return try work(terminal)
    } catch let interruption as Terminal.Interruption {
      Console.print("\nnothing was changed")
      return if case .signal(let number) = interruption { 128 + number } else { 1 }
    } catch let fault as FileFault {
      Console.complain("setup: \(target): \(fault.reason)")
      return 1
    }
  }

  private func run(on terminal: Terminal?) throws -> Int32 {
    let exists = access(target, F_OK) == 0
    var dialogue = SetupDialogue(facts.hardware)
    try answer(&dialogue)
    if exists, !arguments.has("--yes") {
      guard let terminal else {
        throw Arguments.Misuse(message: "\(target) exists; replace it with --yes, which keeps a copy")
      }
      guard try terminal.confirms("\(target) exists. Replace it? A copy is kept.") else {
        Console.print("nothing was changed")
        return 1
      }
    }
    if let terminal {
      try ask(&dialogue, on: terminal)
    } else if let missing = dialogue.missing.first {
      let options = dialogue.missing.map(\.option).joined(separator: ", ")
      throw Arguments.Misuse(message: "no terminal to ask for the \(missing.rawValue); give \(options)")
    }
    var draft = dialogue.draft
    draft.deviceID = arguments.value("--device-id")
    return try finish(draft, on: terminal)
  }

  // MARK: Questions

  /// Takes the answers of the command line.
  private func answer(_ dialogue: inout SetupDialogue) throws {
    for question in SetupDialogue.Question.allCases {
      let given = question == .token ? try token() : arguments.value(question.option)
      guard let given else { continue }
      if let fault = dialogue.answer(given, to: question) {
        throw Arguments.Misuse(message: "\(question.option): \(fault)")
      }
    }
  }

  private func token() throws -> String? {
    guard let path = arguments.value("--token-file") else { return arguments.value("--token") }
    guard arguments.value("--token") == nil else {
      throw Arguments.Misuse(message: "--token and --token-file exclude each other")
    }
    var bytes = try FileBytes.read(path, limit: 4096)[...]
    // Notepad writes a byte order mark.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    guard let line = String(validating: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self),
      !line.isEmpty
    else {
      throw Arguments.Misuse(message: "--token-file: \(path): the first line must be the token, in UTF-8")
    }
    return line
  }

  private func ask(_ dialogue: inout SetupDialogue, on terminal: Terminal) throws(Terminal.Interruption) {
    var asked: SetupDialogue.Question?
    while let prompt = dialogue.prompt {
      if prompt.question != asked { prompt.lines.forEach(Console.print) }
      asked = prompt.question
      let usual = prompt.usual.map { " [\($0)]" } ?? ""
      let text = try terminal.ask("\(prompt.question.rawValue)\(usual):", isHidden: prompt.isHidden)
      if let fault = dialogue.answer(text) { Console.print("  \(fault)") }
    }
  }

  // MARK: Result

  private func finish(_ draft: ConfigurationDraft, on terminal: Terminal?) throws -> Int32 {
    let text = draft.text(comment: "Written by outrider setup. All settings: outrider settings")
    let source = SourceText(name: target, bytes: Array(text.utf8))
    let loaded: ConfigurationFiles.Loaded
    do { loaded = try ConfigurationFiles(.text(source, target: target), overrides: []).load() } catch {
      Console.complain("\(error)")
      return 2
    }
    loaded.warnings.forEach(Console.complain)
    // Values of an earlier setup URL or of outrider set precede the answers.
    loaded.configuration.overriddenKeys.forEach { Console.complain("\($0)") }
    if !arguments.has("--no-test"), let name = draft.destination?.name,
      let destination = loaded.configuration.destinations.first(where: { $0.name == name }),
      // Root would create the directory, and the logger's user could not write to it.
      destination.kind != .file,
      try DestinationTest.run(destination, loaded.configuration, asJSON: false) != 0
    {
      try terminal?.check()
      guard let terminal else {
        Console.complain("setup: the test of the destination failed; nothing was changed; --no-test skips it")
        return 1
      }
      guard try terminal.confirms("The test failed. Write the configuration in spite of that?") else {
        Console.print("nothing was changed")
        return 1
      }
    }
    try terminal?.check()
    let copy = try ConfigurationWriter.write(text, to: target, at: SystemClock.timestamp())
    Console.print("written: \(target)" + (copy.map { "; the former file is \($0)" } ?? ""))
    if target == ConfigurationLocation.lasting, access(ConfigurationLocation.usual, F_OK) == 0 {
      Console.print("\(ConfigurationLocation.usual) is ignored now, because /etc does not keep files")
    }
    if arguments.has("--no-start") { return 0 }
    guard target == ConfigurationLocation(facts.mounts).target else {
      Console.print("start the logger with: outrider run --config \(target)")
      return 0
    }
    guard startService() else { return 1 }
    if let terminal { watch(loaded.configuration.api.socket, on: terminal) }
    return 0
  }

  /// Enables and starts the service, or restarts it. Returns false, after a message, if that fails.
  private func startService() -> Bool {
    guard access("/run/systemd/system", F_OK) == 0 else {
      Console.print("this host has no systemd; start the logger with: outrider run --config \(target)")
      return true
    }
    for words in [["enable", "outrider"], ["restart", "outrider"]] {
      let command = "systemctl \(words.joined(separator: " "))"
      let failure: String?
      do throws(SystemError) {
        let program = try ChildProgram("/usr/bin/systemctl", words, input: [])
        failure = program.waitForEnd(atMost: .seconds(60)).map(\.failure) ?? "no end within 60 s"
      } catch {
        failure = "\(error)"
      }
      if let failure {
        Console.complain("setup: \(command) \(failure); see journalctl -u outrider")
        return false
      }
    }
    Console.print("service outrider: started")
    return true
  }

  /// Prints the receiver and the fix whenever they change, until the first fix, Ctrl-C or the end of input.
  private func watch(_ socket: String, on terminal: Terminal) {
    Console.print("waiting for the first fix; Ctrl-C ends this display, not the logger")
    var shown = ""
    while true {
      do throws(Terminal.Interruption) { try terminal.wait(milliseconds: 1000) } catch { return }
      guard let report = try? LoggerAnswer.ask(socket, storage: nil).report else { continue }
      let line = ForegroundReport.line(report, queued: nil, time: SystemClock.timestamp())
      let text = String(line.drop { $0 != " " })
      if text != shown { Console.print(line) }
      shown = text
      if report.reception?.fix != nil, report.reception?.no_fix_s == nil, report.position != nil { return }
    }
  }
}
