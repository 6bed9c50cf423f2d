import Foundation
import Testing

@testable import outrider

@Suite struct ArgumentsTests {
  static let declared = (options: ["--mode", "--config"], flags: ["--json"])

  static func read(_ words: [String]) throws -> Arguments {
    try Arguments(words[...], options: declared.options, flags: declared.flags)
  }

  @Test func optionsFlagsAndOperandsAreToldApart() throws {
    let read = try Self.read(["start", "--mode", "car", "--json", "-", "--config=a=b", "--", "--json"])
    #expect(read.operands == ["start", "-", "--json"])
    #expect(read.value("--mode") == "car" && read.value("--config") == "a=b" && read.has("--json"))
  }

  static let misuses: [(words: [String], says: String)] = [
    (["--mode"], "--mode wants a value"), (["--mode", "--config", "x"], "--mode wants a value"),
    (["--mode", "--json"], "--mode wants a value"), (["--json=1"], "--json takes no value"),
    (["--moed", "car"], "there are --config, --json, --mode"), (["-x"], "unknown option -x"),
  ]

  @Test(arguments: misuses)
  func misuseIsNamed(words: [String], says: String) {
    #expect {
      try Self.read(words)
    } throws: { error in
      (error as? Arguments.Misuse)?.message.contains(says) == true
    }
  }

  /// The first paragraph of its help.
  static func usage(_ command: any Command.Type) -> String {
    String(command.help.prefix(upTo: command.help.range(of: "\n\n")?.lowerBound ?? command.help.endIndex))
  }

  @Test func whatTakesAConfigurationSaysSoInItsUsage() {
    let commands = Commands.all.filter { $0.help.contains(ConfigurationFiles.optionHelp) }
    #expect(commands.count > 10)
    for command in commands {
      for option in ["--config FILE", "--board NAME|FILE", "--set KEY=VALUE"] {
        #expect(Self.usage(command).contains("[\(option)]"), "\(command.name)")
      }
    }
  }

  @Test func aValueMayBeginWithADash() throws {
    #expect(try Self.read(["--mode", "-5"]).value("--mode") == "-5")
    #expect(try Self.read(["--mode=--json"]).value("--mode") == "--json")
  }
}
