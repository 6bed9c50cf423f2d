import Foundation
import Settings
import Testing

@testable import outrider

/// Commands that messages recommend are valid.
@Suite struct AdviceTests {
  private static let sources = ConfigurationSources(
    // host.sleep requires a clock chip.
    overrides: ["rtc=/dev/rtc0"], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"), chips: .driven
  )

  @Test(arguments: Consumer.allCases)
  func theCommandThatSetsACurrentIsValid(consumer: Consumer) throws {
    let advice = EnergyText.advice(["energy.\(consumer.rawValue)"])
    #expect(advice.hasPrefix("outrider set 'energy={ \(consumer.rawValue): "))
    let assignment = try #require(advice.split(separator: "'").dropFirst().first)
    let value = String(assignment.dropFirst("energy=".count))
    #expect(Self.sources.faults(of: ["energy": value], over: StoredLayers()) == [], "\(advice)")
  }

  @Test func theProgramAcceptsTheCommand() throws {
    let bench = try LoggerBench(url: nil)
    let advice = EnergyText.advice(["energy.receiver_tracking", "energy.host_idle"])
    let outcome = try FaultTests.run(
      [], "exec \"$0\" \(advice.dropFirst("outrider ".count)) --config \(bench.scratch.path("config.json5"))",
      in: bench.scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  /// Every literal `outrider set KEY=VALUE` and `--unset KEY` of the sources, README.md and the pages of docs.
  private static func printedCommands() throws -> [(key: String, value: String?)] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let docs = root.appendingPathComponent("docs")
    let pages = try FileManager.default.contentsOfDirectory(at: docs, includingPropertiesForKeys: nil)
    var files = [root.appendingPathComponent("README.md")] + pages.filter { $0.pathExtension == "md" }
    let sources = FileManager.default.enumerator(
      at: root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil)
    files += (sources?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    var commands: [(String, String?)] = []
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /outrider set ([a-z_]+(?:\.[A-Za-z_]+)*)=([^\s,;"'`)\\]+)/) {
        commands.append((String(match.1), String(match.2)))
      }
      for match in text.matches(of: /--unset ([a-z_]+(?:\.[A-Za-z_]+)*)/) {
        commands.append((String(match.1), nil))
      }
    }
    return commands
  }

  @Test func everyPrintedCommandHasAKnownSettingAndAValidValue() throws {
    let commands = try Self.printedCommands()
    #expect(commands.contains { $0.key == "power.capacity_mAh" })
    let known = Set(Configuration.settings.map(\.path))
    for (key, value) in commands {
      #expect(known.contains(key), "\(key)")
      guard let value else { continue }
      #expect(Self.sources.faults(of: [key: value], over: StoredLayers()) == [], "\(key)=\(value)")
    }
  }
}
