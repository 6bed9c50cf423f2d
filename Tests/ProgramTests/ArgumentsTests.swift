import Foundation
import Testing
import TextSnapshots

@testable import outrider

/// Parsing of command lines, and the help of commands.
@Suite struct ArgumentsTests {
  static let texts = TextSnapshot("commands")
  static let declared = (options: ["--mode", "--config"], flags: ["--json"])

  static func read(_ words: [String]) throws -> Arguments {
    try Arguments(words[...], options: declared.options, flags: declared.flags)
  }

  @Test func optionsFlagsAndOperandsAreDistinguished() throws {
    let read = try Self.read(["start", "--mode", "car", "--json", "-", "--config=a=b", "--", "--json"])
    #expect(read.operands == ["start", "-", "--json"])
    #expect(read.value("--mode") == "car" && read.value("--config") == "a=b" && read.has("--json"))
  }

  static let misuses = [
    ["--mode"], ["--mode", "--config", "x"], ["--mode", "--json"], ["--json=1"], ["--moed", "car"], ["-x"],
  ]

  @Test(arguments: misuses)
  func misuseIsReported(words: [String]) {
    #expect {
      try Self.read(words)
    } throws: { error in
      guard let message = (error as? Arguments.Misuse)?.message else { return false }
      return message == Self.texts.expected("arguments: \(words.joined(separator: " "))", message)
    }
  }

  /// The first paragraph of the help.
  static func usage(_ command: any Command.Type) -> String {
    String(command.help.prefix(upTo: command.help.range(of: "\n\n")?.lowerBound ?? command.help.endIndex))
  }

  @Test func theUsageOfEveryCommandShowsTheOptionsOfItsConfiguration() {
    let names = ConfigurationFiles.options.map(\.names)
    let commands = Commands.all.filter { command in
      names.allSatisfy { command.description.options.map(\.names).contains($0) }
    }
    #expect(commands.count > 10)
    for command in commands {
      for option in ["--config FILE", "--board NAME|FILE", "--set KEY=VALUE"] {
        #expect(Self.usage(command).contains("[\(option)]"), "\(command.name)")
      }
    }
  }

  /// The options of a text: words that begin with a dash.
  static func options(in text: String) -> Set<String> {
    Set(
      text.split { " \n[]|,;…().".contains($0) }.filter { $0.hasPrefix("-") && $0.count > 1 }.map(String.init)
    )
  }

  @Test func theUsageOfEveryCommandNamesExactlyTheOptionsThatItAccepts() {
    for command in Commands.all {
      let accepted = command.description.options
      let used = Self.options(in: command.description.usage.joined(separator: " "))
      for option in accepted {
        #expect(!used.isDisjoint(with: option.names), "\(command.name) \(option.names)")
      }
      #expect(used.isSubset(of: accepted.flatMap(\.names)), "\(command.name)")
    }
  }

  @Test func theParserAcceptsEveryOptionOfTheHelp() throws {
    for command in Commands.all {
      for option in command.description.options {
        for name in option.names {
          let words = [name] + (option.placeholder == nil ? [] : ["value"])
          let read = try Arguments(words[...], command.description)
          #expect(
            option.placeholder == nil ? read.has(name) : read.value(name) == "value",
            "\(command.name) \(name)")
        }
      }
    }
  }

  @Test func everyCommandIsListedUnderAHeading() {
    for group in CommandGroup.allCases {
      #expect(Commands.overview.contains("\n\n\(group.rawValue)\n  "), "\(group)")
    }
    for command in Commands.all {
      #expect(Commands.overview.contains("\n  \(command.name) "), "\(command.name)")
    }
  }

  @Test func aValueMayBeginWithADash() throws {
    #expect(try Self.read(["--mode", "-5"]).value("--mode") == "-5")
    #expect(try Self.read(["--mode=--json"]).value("--mode") == "--json")
  }
}
