import Foundation
import Testing

@testable import outrider

/// `scripts/outrider.service` matches the program, and never prevents logging.
@Suite struct ServiceUnitTests {
  /// The lines `Key=Value`, by key, in order.
  static func settings() throws -> [String: [String]] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("scripts/outrider.service")
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    return Dictionary(grouping: lines.filter { $0.contains("=") }) {
      String($0.prefix { $0 != "=" })
    }.mapValues { $0.map { String($0.drop { $0 != "=" }.dropFirst()) } }
  }

  static let expected: [(key: String, value: String)] = [
    ("Type", "notify"), ("WatchdogSec", "60"), ("Restart", "always"), ("StartLimitIntervalSec", "0"),
    ("ExecReload", "/bin/kill -HUP $MAINPID"), ("StateDirectory", "outrider"), ("StateDirectoryMode", "0750"),
    ("RuntimeDirectory", "outrider"), ("User", "outrider"),
    // A missing group prevents the start of the service; this one exists on every Debian.
    ("SupplementaryGroups", "dialout"),
  ]

  @Test(arguments: expected)
  func theUnitHasTheExpectedSettings(key: String, value: String) throws {
    #expect(try Self.settings()[key] == [value])
  }

  @Test func noSettingEndsTheServicePermanently() throws {
    let settings = try Self.settings()
    for key in ["RestartPreventExitStatus", "RuntimeMaxSec", "NotifyAccess", "NoNewPrivileges"] {
      #expect(settings[key] == nil, "\(key)")
    }
  }

  @Test func theUnitStartsTheProgramWithValidArguments() throws {
    let words = try #require(Self.settings()["ExecStart"]?.first).split(separator: " ").map(String.init)
    #expect(words.prefix(2) == ["/usr/local/bin/outrider", RunCommand.name])
    _ = try Arguments(words.dropFirst(2), options: ConfigurationFiles.options, flags: []).checkOperands(
      atMost: 0)
  }

  /// The default directories of the program are those that the unit creates.
  @Test func theUnitCreatesTheDefaultDirectoriesOfTheProgram() throws {
    let settings = try Self.settings()
    let configuration = try ConfigurationFiles(overrides: []).read()
    #expect(configuration.storage.directory == "/var/lib/\(settings["StateDirectory"]?.first ?? "")")
  }
}
