import Foundation
import HTTPClient
import Quantities
import Settings
import TestSupport
import Testing
@testable import Daemon

/// Programs and units of the settings, as commands and files.
@Suite struct HookCommandTests {
  static let host = HookCommand.Host(systemctl: "/usr/bin/systemctl", directory: "/run/outrider/hooks")

  @Test func aProgramGetsItsValuesDirectly() {
    let command = HookCommand(
      "/usr/local/bin/hook", arguments: ["a"], environment: ["B": "c"], input: [1], host: Self.host)
    #expect(command.path == "/usr/local/bin/hook" && command.arguments == ["a"])
    #expect(command.environment == ["B": "c"] && command.input == [1])
    #expect(command.files.isEmpty && !command.isUnit)
    #expect(command.failure(.exited(status: 3)) == "/usr/local/bin/hook: exited with status 3")
    #expect(command.failure(.exited(status: 0)) == nil && command.failure(nil) == nil)
  }

  @Test func aUnitIsStartedAndGetsItsValuesAsFiles() {
    let command = HookCommand(
      "outrider-modem-up.service", arguments: ["a"], environment: ["B": "c", "A": ""], input: [0, 10],
      host: Self.host)
    #expect(command.path == "/usr/bin/systemctl")
    #expect(command.arguments == ["start", "--no-ask-password", "--quiet", "outrider-modem-up.service"])
    #expect(command.environment.isEmpty && command.input.isEmpty && command.isUnit)
    #expect(
      command.files == [
        HookCommand.File(path: "/run/outrider/hooks/modem-up.env", bytes: Array("A=\"\"\nB=\"c\"\n".utf8)),
        HookCommand.File(path: "/run/outrider/hooks/modem-up.input", bytes: [0, 10]),
      ])
    let failure = command.failure(.exited(status: 1))
    #expect(failure?.contains("systemctl status outrider-modem-up.service") == true)
  }

  /// A unit without values has both files, too: `EnvironmentFile=` fails without its file.
  @Test func aUnitWithoutValuesHasEmptyFiles() {
    let files = HookCommand("outrider-x.service", host: Self.host).files
    #expect(files.map(\.path) == ["/run/outrider/hooks/x.env", "/run/outrider/hooks/x.input"])
    #expect(files.allSatisfy { $0.bytes.isEmpty })
  }

  /// Code points that Unicode reserves; a literal cannot contain them.
  static let noncharacters = String(
    String.UnicodeScalarView([0xFFFE, 0xFDD0, 0x1FFFF].compactMap { Unicode.Scalar($0 as UInt32) }))

  static let quoted: [(value: String, line: String)] = [
    ("", #"A="""#), ("plain", #"A="plain""#), ("two words", #"A="two words""#), ("it's", #"A="it's""#),
    (#"a "b""#, #"A="a \"b\"""#), (#"C:\n"#, #"A="C:\\n""#), (#"\"#, #"A="\\""#),
    ("$HOME ${X} $$", #"A="\$HOME \${X} \$\$""#), ("`id`", #"A="\`id\`""#),
    ("# no comment", ##"A="# no comment""##),
    ("; no comment", #"A="; no comment""#), ("x\nLD_PRELOAD=/evil", "A=\"x\nLD_PRELOAD=/evil\""),
    ("tab\there", "A=\"tab\there\""), ("NUL\0end", "A=\"NUL\u{FFFD}end\""),
    ("CR\r\nLF", "A=\"CR\u{FFFD}\nLF\""), ("\u{1B}[0m\u{7F}", "A=\"\u{FFFD}[0m\u{FFFD}\""),
    (noncharacters, "A=\"\u{FFFD}\u{FFFD}\u{FFFD}\""), ("Zürich ☃ 😀", "A=\"Zürich ☃ 😀\""),
    ("%n %i", #"A="%n %i""#), ("ends with \\\n", "A=\"ends with \\\\\n\""),
  ]

  @Test(arguments: quoted) func aValueIsQuotedForAnEnvironmentFile(value: String, line: String) {
    #expect(HookCommand.assignments(["A": value]) == line + "\n")
  }

  @Test func aNameThatIsNoVariableIsLeftOut() {
    let names = ["A", "", "1A", "A B", "A=B", "Ä", "A\nB", "_a1"]
    let text = HookCommand.assignments(Dictionary(uniqueKeysWithValues: names.map { ($0, "x") }))
    #expect(text == "A=\"x\"\n_a1=\"x\"\n")
  }

  /// Reads an environment file as systemd does, as far as double quotes are concerned; nil for anything else.
  private static func read(_ text: String) -> [String: String]? {
    var all: [String: String] = [:]
    var remainder = Array(text.unicodeScalars)[...]
    while !remainder.isEmpty {
      guard let equals = remainder.firstIndex(of: "="), remainder.index(after: equals) < remainder.endIndex,
        remainder[remainder.index(after: equals)] == "\""
      else { return nil }
      let name = String(String.UnicodeScalarView(remainder[..<equals]))
      var value = String.UnicodeScalarView()
      remainder = remainder[(equals + 2)...]
      while let scalar = remainder.popFirst(), scalar != "\"" {
        guard scalar == "\\" else {
          value.append(scalar)
          continue
        }
        guard let escaped = remainder.popFirst() else { return nil }
        if !["\"", "\\", "`", "$", "\n"].contains(escaped) { value.append(scalar) }
        if escaped != "\n" { value.append(escaped) }
      }
      guard remainder.popFirst() == "\n" else { return nil }
      all[name] = String(value)
    }
    return all
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func everyValueIsReadBack(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pieces = [
      "\"", "\\", "$", "`", "'", "\n", "\t", "=", "#", ";", " ", "A", "B=", "ü", "\\\n", "\"\nX=\"",
    ]
    for _ in 0..<200 {
      var values: [String: String] = [:]
      for name in ["A", "B", "OUTRIDER_EVENT"] {
        let count = Int.random(in: 0..<12, using: &random)
        values[name] = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      }
      #expect(Self.read(HookCommand.assignments(values)) == values, "seed \(seed)")
    }
  }

  // MARK: With a systemctl of the test

  /// A host whose systemctl writes its arguments and a copy of the files to `directory`, and exits with `status`.
  private static func host(_ directory: String, status: Int) throws -> HookCommand.Host {
    let path = directory + "/systemctl"
    try """
    #!/bin/sh
    echo "$*" >> '\(directory)/said'
    cat '\(directory)'/hooks/*.env >> '\(directory)/environment'
    cat '\(directory)'/hooks/*.input >> '\(directory)/input'
    exit \(status)

    """.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return HookCommand.Host(systemctl: path, directory: directory + "/hooks")
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test(arguments: [0, 1, 5]) func theExitStatusOfSystemctlIsTheOutcome(status: Int) throws {
    let bench = try HTTPBench()
    var settings = NetworkSettings()
    settings.up = "outrider-modem-up.service"
    let host = try Self.host(bench.directory, status: status)
    let network = try #require(try NetworkSwitch(settings, loop: bench.loop, host: host))
    var outcome: String??
    network.turn(on: true) { outcome = .some($0) }
    #expect(try bench.run { outcome != nil })
    let failure = try #require(outcome)
    #expect((failure == nil) == (status == 0))
    if status != 0 { #expect(failure?.contains("status \(status)") == true) }
    #expect(
      Self.text(bench.directory + "/said") == "start --no-ask-password --quiet outrider-modem-up.service\n")
    #expect(try Self.mode(host.directory) == 0o700)
    for file in ["modem-up.env", "modem-up.input"] {
      #expect(try Self.mode("\(host.directory)/\(file)") == 0o600)
      #expect(Self.text("\(host.directory)/\(file)").isEmpty)
    }
  }

  @Test func theUnitThatSwitchesTheHostOffFindsTheTimeOfTheWakeUp() throws {
    let bench = try HTTPBench()
    let host = try Self.host(bench.directory, status: 0)
    let means = HostSwitch(.halt, program: "outrider-down.service", clock: nil, loop: bench.loop, host: host)
    var isDone = false
    means.goDown(for: .seconds(900), until: Timestamp(milliseconds: 1_800_000_000_000)) { failure in
      #expect(failure == nil)
      isDone = true
    }
    #expect(try bench.run { isDone })
    let values = Self.read(Self.text(bench.directory + "/environment"))
    #expect(
      values == [
        "OUTRIDER_SLEEP": "halt", "OUTRIDER_WAKE_IN": "900", "OUTRIDER_WAKE_AT": "2027-01-15T08:00:00Z",
      ])
  }

  @Test func aUnitIsNotifiedOfOneEventAfterTheOther() throws {
    let bench = try HTTPBench()
    let host = try Self.host(bench.directory, status: 0)
    let client = try HTTPClient(loop: bench.loop)
    let notifier = Notifier(
      NotificationSettings(plain: .command("outrider-tell.service")), loop: bench.loop, client: client,
      version: "1", host: host)
    defer { notifier.stop() }
    for kind in ["trip_started", "trip_ended", "visit_began"] {
      notifier.process(HookQueue.Event(kind: kind, body: Array("{\"kind\":\"\(kind)\"}\n".utf8)))
    }
    #expect(try bench.run { notifier.queue.handedOver == 3 })
    let kinds = ["trip_started", "trip_ended", "visit_began"]
    #expect(
      Self.text(bench.directory + "/environment") == kinds.map { "OUTRIDER_EVENT=\"\($0)\"\n" }.joined())
    #expect(Self.text(bench.directory + "/input") == kinds.map { "{\"kind\":\"\($0)\"}\n" }.joined())
  }

  @Test func aDirectoryThatCannotBeWrittenIsTheFailure() throws {
    let bench = try HTTPBench()
    var settings = NetworkSettings()
    settings.down = "outrider-modem-down.service"
    let host = HookCommand.Host(systemctl: "/bin/true", directory: "/dev/null/hooks")
    let network = try #require(try NetworkSwitch(settings, loop: bench.loop, host: host))
    var failure: String?
    network.turn(on: false) { failure = $0 }
    #expect(failure?.contains("/dev/null/hooks") == true)
  }
}
