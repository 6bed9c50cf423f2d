import Foundation
import Testing

@testable import outrider

/// `scripts/debian/outrider.service` matches the program, and never prevents logging.
@Suite struct ServiceUnitTests {
  /// The lines `Key=Value`, by key, in order.
  static func settings() throws -> [String: [String]] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("scripts/debian/outrider.service")
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    return Dictionary(grouping: lines.filter { $0.contains("=") }) {
      String($0.prefix { $0 != "=" })
    }.mapValues { $0.map { String($0.drop { $0 != "=" }.dropFirst()) } }
  }

  static let expected: [(key: String, values: [String])] = [
    ("Type", ["notify"]), ("NotifyAccess", ["main"]), ("WatchdogSec", ["60"]), ("Restart", ["always"]),
    ("StartLimitIntervalSec", ["0"]),
    // The shell's own kill: a minimal Debian has no /bin/kill.
    ("ExecReload", ["/bin/sh -c 'kill -HUP $MAINPID'"]),
    ("StateDirectory", ["outrider"]), ("StateDirectoryMode", ["0750"]), ("RuntimeDirectory", ["outrider"]),
    ("User", ["outrider"]), ("Group", ["outrider"]),
    // Groups that the package creates: one that is missing would prevent the start.
    ("SupplementaryGroups", ["dialout i2c gpio"]),
    ("ConditionPathExists", ["|/etc/outrider/config.json5", "|/var/lib/outrider/config.json5"]),
    // Classes whose modules are loaded later have numbers: systemd resolves names only when the service starts.
    (
      "DeviceAllow",
      [
        "char-ttyAMA rw", "char-ttyS rw", "char-166 rw", "char-188 rw", "char-89 rw", "char-gpiochip rw",
        "char-rtc r", "/dev/rfkill rw",
      ]
    ),
  ]

  @Test(arguments: expected)
  func theUnitHasTheExpectedSettings(key: String, values: [String]) throws {
    #expect(try Self.settings()[key] == values)
  }

  @Test func noSettingEndsTheServicePermanently() throws {
    let settings = try Self.settings()
    for key in ["RestartPreventExitStatus", "RuntimeMaxSec"] {
      #expect(settings[key] == nil, "\(key)")
    }
  }

  @Test func theUnitStartsTheProgramWithValidArguments() throws {
    let words = try #require(Self.settings()["ExecStart"]?.first).split(separator: " ").map(String.init)
    #expect(words.prefix(2) == ["/usr/bin/outrider", RunCommand.name])
    _ = try Arguments(words.dropFirst(2), RunCommand.description).checkOperands(
      atMost: 0)
  }

  /// The default directories of the program are those that the unit creates.
  @Test func theUnitCreatesTheDefaultDirectoriesOfTheProgram() throws {
    let settings = try Self.settings()
    let configuration = try ConfigurationFiles(overrides: []).read()
    #expect(configuration.storage.directory == "/var/lib/\(settings["StateDirectory"]?.first ?? "")")
  }
}
