import Foundation
import Glibc
import Testing

/// `outrider setup` without a URL, on a pseudo-terminal and in scripts.
@Suite struct SetupWizardTests {
  private static let boards = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("boards").path

  private static func terminal(_ words: [String], in scratch: Scratch) throws -> PseudoTerminal {
    try PseudoTerminal(
      ["setup", "--no-start"] + words, in: scratch,
      environment: ["OUTRIDER_CONFIG": scratch.path("etc/config.json5"), "OUTRIDER_BOARDS": boards])
  }

  @Test func theAnswersOfATerminalBecomeAConfiguration() throws {
    let scratch = try Scratch()
    let terminal = try Self.terminal(["--no-test"], in: scratch)
    for (prompt, answer) in [
      ("board", "nokia\n"), ("board", "raspberry-pi-5\n"), ("receiver", "\n"), ("kind", "1\n"),
      ("address", "example.org\n"), ("address", "https://example.org/api\n"), ("token", "t0ken-typed\n"),
    ] {
      #expect(terminal.shows(": "), "\(terminal.output)")
      let last = terminal.output.split(whereSeparator: \.isNewline).last ?? ""
      #expect(last.hasPrefix(prompt), "\(terminal.output)")
      terminal.type(answer)
    }
    #expect(terminal.exitStatus() == 0, "\(terminal.output)")
    #expect(!terminal.output.contains("t0ken-typed"), "the token is not echoed")
    let path = scratch.path("etc/config.json5")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      text.contains("board: \"raspberry-pi-5\"") && text.contains("token: \"t0ken-typed\"")
        && text.contains("url: \"https://example.org/api\""), "\(text)")
    var facts = stat()
    #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o640)
  }

  @Test(arguments: ["\u{4}", "\u{3}"]) func anEndedDialogueChangesNothing(key: String) throws {
    let scratch = try Scratch()
    let terminal = try Self.terminal([], in: scratch)
    #expect(terminal.shows(": "))
    if key == "\u{4}" { terminal.type(key) } else { terminal.interrupt() }
    #expect(terminal.exitStatus() == (key == "\u{4}" ? 1 : 130), "\(terminal.output)")
    #expect(terminal.output.contains("nothing was changed") && !scratch.exists("etc"))
  }

  @Test func aSymbolicLinkStaysAndTheFileThatItNamesIsReplaced() throws {
    let scratch = try Scratch()
    let target = try scratch.write("kept.json5", "{}")
    let link = scratch.path("config.json5")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    let program = try Program(
      [
        "setup", "--config", link, "--board", "simulator", "--port", "/dev/ttyUSB0", "--url",
        "http://127.0.0.1:9/x", "--no-start", "--no-test", "--yes",
      ], in: scratch, environment: ["OUTRIDER_BOARDS": Self.boards])
    #expect(program.exitStatus(within: .seconds(20)) == 0, "\(program.standardError)")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
    #expect(try String(contentsOfFile: target, encoding: .utf8).contains("http://127.0.0.1:9/x"))
  }

  @Test func aScriptIsAskedNothing() throws {
    let scratch = try Scratch()
    let target = scratch.path("config.json5")
    let token = try scratch.write("token", "t0ken-file\n")
    let words = [
      "setup", "--config", target, "--board", "simulator", "--port", "/dev/ttyUSB0", "--url",
      "http://127.0.0.1:9/x", "--token-file", token, "--device-id", "van", "--no-start",
    ]
    func run(_ words: [String]) throws -> (status: Int32?, text: String) {
      let program = try Program(words, in: scratch, environment: ["OUTRIDER_BOARDS": Self.boards])
      let status = program.exitStatus(within: .seconds(20))
      return (status, program.standardOutput + program.standardError)
    }
    let failed = try run(words)
    #expect(failed.status == 1 && failed.text.contains("--no-test skips it"), "\(failed)")
    #expect(!scratch.exists("config.json5"))
    #expect(try run(words + ["--no-test"]).status == 0)
    let text = try String(contentsOfFile: target, encoding: .utf8)
    #expect(text.contains("t0ken-file") && text.contains("device_id: \"van\""), "\(text)")
    let second = try run(words + ["--no-test"])
    #expect(second.status == 2 && second.text.contains("exists; replace it with --yes"))
    #expect(try run(words + ["--no-test", "--yes"]).status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
    #expect(names.contains { $0.hasPrefix("config.json5.2") }, "a copy is kept: \(names)")
    let missing = try run(["setup", "--config", scratch.path("other.json5"), "--port", "/dev/ttyUSB0"])
    #expect(missing.status == 2 && missing.text.contains("give --kind, --url"), "\(missing)")
  }

  @Test func aSetupURLOnADeviceWithoutConfigurationWritesOne() throws {
    let scratch = try Scratch()
    let target = scratch.path("etc/config.json5")
    let url = "overland://setup?url=http%3A%2F%2F127.0.0.1%3A9%2Fapi&token=t0ken&device_id=van"
    func run(_ words: [String]) throws -> (status: Int32?, text: String) {
      let program = try Program(
        ["setup", url] + words, in: scratch,
        environment: ["OUTRIDER_CONFIG": target, "OUTRIDER_BOARDS": Self.boards])
      let status = program.exitStatus(within: .seconds(20))
      return (status, program.standardOutput + program.standardError)
    }
    let failed = try run(["--board", "simulator", "--no-start"])
    #expect(failed.status == 1 && failed.text.contains("--no-test skips it"), "\(failed)")
    #expect(!scratch.exists("etc"))
    let misused = try run(["--board", "simulator", "--keep"])
    #expect(misused.status == 2 && misused.text.contains("--keep"), "\(misused)")
    #expect(try run(["--board", "simulator", "--no-test", "--no-start"]).status == 0)
    let text = try String(contentsOfFile: target, encoding: .utf8)
    for part in [
      #"board: "simulator""#, #"device_id: "van""#, #"url: "http://127.0.0.1:9/api", token: "t0ken""#,
    ] {
      #expect(text.contains(part), "\(text)")
    }
    // With a configuration nothing is tested or started, and the options of the usage are accepted.
    let folder = "storage.directory=\(scratch.path("log"))"
    try FileManager.default.createDirectory(atPath: scratch.path("log"), withIntermediateDirectories: true)
    for words in [["--no-test"], ["--no-start"], ["--no-test", "--no-start", "--yes"], ["--yes"]] {
      let again = try run(words + ["--set", folder])
      #expect(again.status == 0 && again.text.contains("set: "), "\(words): \(again)")
    }
    let foreign = try run(["--kind", "file"])
    #expect(
      foreign.status == 2 && foreign.text.contains("--kind cannot be combined with a setup URL"), "\(foreign)"
    )
  }

  @Test func aTokenFileHasATokenInUTF8() throws {
    let scratch = try Scratch()
    for (bytes, token) in [
      ([0xEF, 0xBB, 0xBF] + Array("t0ken\r\n".utf8), "t0ken"), (Array("\nt0ken".utf8), nil), ([], nil),
      (Array("t0k".utf8) + [0xFF], nil),
    ] as [([UInt8], String?)] {
      let file = scratch.path("token")
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      let target = scratch.path("config.json5")
      let program = try Program(
        [
          "setup", "--config", target, "--board", "simulator", "--port", "/dev/ttyUSB0", "--url",
          "http://127.0.0.1:9/",
          "--token-file", file, "--no-test", "--no-start", "--yes",
        ], in: scratch, environment: ["OUTRIDER_BOARDS": Self.boards])
      let status = program.exitStatus(within: .seconds(20))
      #expect(status == (token == nil ? 2 : 0), "\(bytes): \(program.standardError)")
      let text = try? String(contentsOfFile: target, encoding: .utf8)
      if let token { #expect(text?.contains("token: \"\(token)\"") == true, "\(text ?? "")") }
    }
  }
}
