import Foundation
import Settings
import Testing

@testable import outrider

/// Manual pages and completion are made from the declarations of the commands.
@Suite struct HelpTests {
  /// Runs a program and returns its output on both streams; nil if it is not installed.
  static func run(_ program: String, _ arguments: [String], input: String = "") throws -> (Int32, String)? {
    let paths = ["/usr/bin/\(program)", "/bin/\(program)"]
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
    let (process, pipe, feed) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"]
    (process.standardOutput, process.standardError, process.standardInput) = (pipe, pipe, feed)
    try process.run()
    try feed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try feed.fileHandleForWriting.close()
    let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  static let hasMan = FileManager.default.isExecutableFile(atPath: "/usr/bin/man")
  static let hasMandoc = FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc")
  static let hasBash = FileManager.default.isExecutableFile(atPath: "/usr/bin/bash")

  @Test func everyCommandHasAPageAndTheConfigurationHasOne() {
    let names = ManualPage.all.map(\.fileName)
    #expect(Set(names).count == names.count)
    #expect(
      Set(names) == Set(Commands.all.map { "outrider-\($0.name).1" } + ["outrider.1", "outrider.json5.5"]))
  }

  @Test func thePageOfTheConfigurationDescribesEverySetting() {
    let page = ManualPage.configuration.roff
    for setting in SettingsReference.all {
      #expect(
        page.contains("\n\\fB\(setting.path.replacingOccurrences(of: "-", with: "\\-"))\\fR\n"),
        "\(setting.path)")
    }
  }

  @Test(.enabled(if: hasMan, "requires man(1)"))
  func manFormatsEveryPageWithoutAWarning() throws {
    let scratch = try Scratch()
    for page in ManualPage.all {
      let path = try scratch.write(page.fileName, page.roff)
      // The formatted page goes to standard output, the warnings to standard error.
      let command = "man --warnings -E UTF-8 -l -Tutf8 -Z '\(path)' >/dev/null"
      let (status, output) = try #require(try Self.run("sh", ["-c", command]))
      #expect(status == 0 && output.isEmpty, "\(page.fileName): \(output)")
    }
  }

  @Test(.enabled(if: hasMandoc, "requires mandoc(1)"))
  func mandocHasNoComplaintAboutAnyPage() throws {
    let scratch = try Scratch()
    for page in ManualPage.all {
      let path = try scratch.write(page.fileName, page.roff)
      let (status, output) = try #require(try Self.run("mandoc", ["-Tlint", path]))
      #expect(status == 0 && output.isEmpty, "\(page.fileName): \(output)")
    }
  }

  /// A command line, the word to complete last, and words that completion must and must not offer.
  static let completions: [(words: [String], offers: [String], not: [String])] = [
    (["outrider", "st"], ["status", "start", "stop"], ["set"]),
    (["outrider", "set", "main."], ["main.min_time", "main.min_distance"], ["device_id"]),
    (["outrider", "settings", "rec"], ["receiver.port"], ["main.min_time"]),
    (["outrider", "boards", ""], ["field-unit", "raspberry-pi-5"], ["--json"]),
    (["outrider", "run", "--board", "rasp"], ["raspberry-pi-4"], ["field-unit"]),
    (["outrider", "status", "--u"], ["--units"], ["--json"]),
    (["outrider", "status", "--units", ""], ["metric", "imperial", "nautical"], ["--json"]),
    (["outrider", "status", "--units", "=", "me"], ["metric"], ["imperial"]),
    (["outrider", "trip", "st"], ["start", "stop", "status"], ["list"]),
    (["outrider", "nonsense", ""], [], ["status"]),
  ]

  @Test(.enabled(if: hasBash, "requires bash(1)"), arguments: completions)
  func bashCompletesCommandsOptionsAndValues(words: [String], offers: [String], not: [String]) throws {
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let script = """
      \(BashCompletion.script)
      compopt() { :; }
      outrider() { echo 'field-unit  A'; echo 'raspberry-pi-4  B'; echo 'raspberry-pi-5  C'; }
      COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)
      _outrider
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let (status, output) = try #require(try Self.run("bash", ["-eu", "-c", script]))
    let replies = Set(output.split(separator: "\n").map(String.init))
    #expect(status == 0, "\(output)")
    #expect(replies.isSuperset(of: offers), "\(replies)")
    #expect(replies.isDisjoint(with: not), "\(replies)")
  }
}
