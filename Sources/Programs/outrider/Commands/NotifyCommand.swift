import Daemon
import Formats
import Quantities
import Settings

/// `outrider notify --test`: calls the hooks of `notifications` with a marked event.
enum NotifyCommand: Command {
  static let name = "notify"
  static let group = CommandGroup.control
  static let summary = "test the notifications"
  static let description = CommandDescription(
    forms: ["--test [--json]"],
    text: [
      """
      Calls every program, unit and URL of notifications once with an event of the kind test, regardless of \
      kinds, quiet hours and limit, and prints the answers. It works with and without a running logger. A \
      program runs with the rights of the caller.
      """
    ],
    options: [
      .flag("--test", text: "call the hooks with a marked event"),
      .flag("--json", text: "print the answers as one JSON object"),
    ] + ConfigurationFiles.options,
    exitStatus:
      "0 all hooks took the event; 1 a hook failed, or there is none; 2 misuse or invalid configuration")

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    guard arguments.has("--test") else { throw Arguments.Misuse(message: "give --test") }
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    let results = try NotificationTest.run(configuration)
    if arguments.has("--json") {
      Console.print(json(results))
    } else if results.isEmpty {
      Console.complain("notifications is off; set a program or URL")
    }
    if !arguments.has("--json") { results.forEach { Console.print(text($0)) } }
    return !results.isEmpty && results.allSatisfy(\.isSuccess) ? 0 : 1
  }

  private static func text(_ result: NotificationTest.Result) -> String {
    let sign = result.isSuccess ? "ok  " : "FAIL"
    return "\(sign) \(result.to): \(result.text)" + (result.remedy.map { "; \($0)" } ?? "")
  }

  private static func json(_ results: [NotificationTest.Result]) -> String {
    let hooks = results.map { result in
      var text = Array(#"{"to":"#.utf8)
      text.appendJSONString(result.to)
      text += Array(#","ok":\#(result.isSuccess),"text":"#.utf8)
      text.appendJSONString(result.text)
      if let remedy = result.remedy {
        text += Array(#","remedy":"#.utf8)
        text.appendJSONString(remedy)
      }
      return String(decoding: text + Array("}".utf8), as: UTF8.self)
    }
    return #"{"hooks":[\#(hooks.joined(separator: ","))]}"#
  }
}
