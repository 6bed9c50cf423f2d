import Foundation
import Glibc
import Testing

/// `outrider setup --show`: the setup URL of this device, or a given one, as a QR code.
@Suite struct SetupCodeTests {
  private static let destinations = """
    { device_id: "van 7", storage: { directory: "LOG" }, receiver: { port: "/dev/null" }, destinations: [
      { name: "files", kind: "file", directory: "/tmp" },
      { name: "home", kind: "overland", url: "https://example.org/api?x=1&y=é", token: "t0ken&+%" },
      { name: "open", kind: "overland", url: "http://h/x", device_id: "bus" },
    ] }
    """

  /// (options, exit status, text that the output contains)
  static let cases: [([String], Int32, String)] = [
    ([], 1, "add --yes to show it"),
    (
      ["--yes"], 0,
      "overland://setup?url=https%3A%2F%2Fexample.org%2Fapi%3Fx%3D1%26y%3D%C3%A9&token=t0ken%26%2B%25&device_id=van%207"
    ),
    (["--destination", "open"], 0, "overland://setup?url=http%3A%2F%2Fh%2Fx&device_id=bus\n"),
    (["--destination", "open", "--device-id", "phone"], 0, "&device_id=phone\n"),
    (["--yes"], 0, "the code is that of destination \"home\"; --destination names another one"),
    (["--destination", "files"], 2, "of kind file, which has no setup URL"),
    (["--destination", "nokia"], 2, "configured: files, home, open"),
    (["--destination", "open", "--png", "a", "--svg", "b"], 2, "--png and --svg cannot be combined"),
    (["--destination", "open", "--png", "/nowhere/code.png"], 1, "/nowhere/code.png"),
    (["--destination", "open", "--svg", "/dev/null"], 1, "/dev/null is not a regular file"),
    (["--destination", "open", "--device-id", "a\u{7}b"], 2, "device_id: expected one line"),
    (["--keep"], 2, "--keep cannot be combined with --show"),
    (["--url", "https://h"], 2, "--url cannot be combined with --show"),
    (["overland://setup?url=http://h/x"], 0, "overland://setup?url=http%3A%2F%2Fh%2Fx\n"),
    (["overland://setup?url=http://h/x", "--destination", "open"], 2, "--destination cannot be combined"),
    (["ftp://h"], 2, "expected a setup URL"),
    (
      ["overland://setup?url=http://h/\(String(repeating: "x", count: 3000))"], 1, "do not fit into a QR code"
    ),
  ]

  private static func run(_ words: [String], in scratch: Scratch) throws -> (status: Int32?, text: String) {
    let program = try Program(["setup", "--show"] + words, in: scratch)
    let status = program.exitStatus(within: .seconds(20))
    return (status, program.standardOutput + program.standardError)
  }

  @Test(arguments: cases.indices)
  func theCodeIsThatOfTheDestinationOrTheURL(index: Int) throws {
    let (words, status, text) = Self.cases[index]
    let scratch = try Scratch()
    let configuration = Self.destinations.replacingOccurrences(of: "LOG", with: scratch.path("log"))
    let path = try scratch.write("config.json5", configuration)
    let outcome = try Self.run(words + ["--config", path], in: scratch)
    #expect(outcome.status == status && outcome.text.contains(text), "\(outcome)")
    // The upper edge of a finder pattern.
    #expect(outcome.text.contains("█ ▄▄▄▄▄ ") == (status == 0), "\(outcome.text)")
    if status != 0 { #expect(!outcome.text.contains("t0ken")) }
  }

  @Test func withoutAnOverlandDestinationThereIsNoCode() throws {
    let scratch = try Scratch()
    let path = try scratch.write(
      "config.json5",
      """
      { receiver: { port: "/dev/null" }, destinations: [{ name: "files", kind: "file", directory: "/tmp" }] }
      """)
    let outcome = try Self.run(["--config", path], in: scratch)
    #expect(outcome.status == 2 && outcome.text.contains("no destination of kind overland"), "\(outcome)")
  }

  @Test(arguments: ["--png", "--svg"])
  func anImageIsReadableForItsOwnerAlone(option: String) throws {
    let scratch = try Scratch()
    let file = scratch.path("code.image")
    // The draft of an interrupted run.
    _ = try scratch.write("code.image.new", "")
    let outcome = try Self.run(
      ["overland://setup?url=http://h/x&token=t0ken", "--yes", option, file], in: scratch)
    #expect(outcome.status == 0 && outcome.text == "written: \(file)\n")
    var facts = stat()
    #expect(stat(file, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(bytes.starts(with: option == "--png" ? [0x89, 0x50, 0x4e, 0x47] : Array("<svg".utf8)))
  }

  @Test func anotherDeviceTakesTheShownURL() throws {
    let scratch = try Scratch()
    let path = try scratch.write(
      "config.json5", Self.destinations.replacingOccurrences(of: "LOG", with: scratch.path("log")))
    let shown = try Self.run(["--yes", "--config", path], in: scratch)
    let url = try #require(shown.text.split(separator: "\n").last { $0.hasPrefix("overland:") })
    let other = try Scratch()
    let empty = try other.write(
      "config.json5", "{ receiver: { port: '/dev/null' }, storage: { directory: '\(other.path("log"))' } }")
    let program = try Program(["setup", String(url), "--yes", "--config", empty], in: other)
    #expect(program.exitStatus(within: .seconds(20)) == 0, "\(program.standardError)")
    let stored = try String(contentsOfFile: other.path("log/settings.json"), encoding: .utf8)
    #expect(
      stored.contains("t0ken&+%") && stored.contains("example.org") && stored.contains("van 7"), "\(stored)")
  }

  @Test func withoutASecretNothingIsAskedAndWithOneTheAnswerDecides() throws {
    let scratch = try Scratch()
    for (secret, answer, status) in [
      ("url=http://h/x&token=t0ken", "n\n", Int32(1)), ("url=http://h/x&token=t0ken", "y\n", 0),
      ("url=http%3A%2F%2Fh%2Fx%3Fapi_key%3Dt0ken", "n\n", 1),
      ("url=http%3A%2F%2Fvan%3At0ken@h%2Fx", "y\n", 0),
    ] {
      let terminal = try PseudoTerminal(
        ["setup", "--show", "overland://setup?\(secret)"], in: scratch, environment: [:])
      #expect(terminal.shows("[y/N]\r\n"), "\(terminal.output)")
      #expect(!terminal.output.contains("t0ken"))
      terminal.type(answer)
      #expect(terminal.exitStatus() == status, "\(terminal.output)")
      #expect(terminal.output.contains("t0ken") == (status == 0))
    }
    let open = try PseudoTerminal(
      ["setup", "--show", "overland://setup?url=http://h/x"], in: scratch, environment: [:])
    #expect(open.exitStatus() == 0 && open.output.contains("\u{1b}[97;40m"), "\(open.output)")
  }
}
