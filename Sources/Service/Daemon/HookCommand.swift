import Settings
import System

/// The program or unit of a setting, ready to run: a command, and the files that a unit reads.
///
/// A program gets its values as arguments, environment and standard input. A unit is started by systemctl(1), which passes
/// nothing on. So it gets the environment as a file `NAME.env` for `EnvironmentFile=`, and the input as a file
/// `NAME.input` for `StandardInput=file:` (systemd.exec(5)).
struct HookCommand: Equatable, Sendable {
  /// A file that is written before the command runs.
  struct File: Equatable, Sendable {
    var path: String
    var bytes: [UInt8]
  }

  /// The places of a host that running a unit requires.
  struct Host: Equatable, Sendable {
    /// The path of systemctl(1).
    var systemctl: String
    /// The directory of the files, below the service's runtime directory.
    var directory: String

    init(systemctl: String, directory: String) {
      (self.systemctl, self.directory) = (systemctl, directory)
    }

    /// This host. The directory is below `$RUNTIME_DIRECTORY`, otherwise below `/run/outrider`.
    static var current: Host {
      let runtime = ProcessEnvironment.variable("RUNTIME_DIRECTORY").flatMap { $0.isEmpty ? nil : $0 }
      return Host(systemctl: "/usr/bin/systemctl", directory: "\(runtime ?? "/run/outrider")/hooks")
    }
  }

  /// The setting's value, for messages.
  let name: String
  /// The absolute path of the program to run.
  let path: String
  let arguments: [String]
  let environment: [String: String]
  let input: [UInt8]
  let files: [File]
  /// True for a unit. At a timeout only systemctl is ended: the unit runs until its own `TimeoutStartSec=`.
  let isUnit: Bool

  /// Creates the command. `setting` is the absolute path of a program, or the name of a unit.
  init(
    _ setting: String, arguments: [String] = [], environment: [String: String] = [:], input: [UInt8] = [],
    host: Host
  ) {
    name = setting
    guard let unit = HookUnit(setting) else {
      path = setting
      (self.arguments, self.environment, self.input) = (arguments, environment, input)
      files = []
      isUnit = false
      return
    }
    path = host.systemctl
    self.arguments = ["start", "--no-ask-password", "--quiet", unit.file]
    self.environment = [:]
    self.input = []
    isUnit = true
    files = [
      File(path: "\(host.directory)/\(unit.name).env", bytes: Array(Self.assignments(environment).utf8)),
      File(path: "\(host.directory)/\(unit.name).input", bytes: input),
    ]
  }

  /// Writes the files, readable only by this user, and starts the command. Throws the error of a file or of the start.
  func start() throws(SystemError) -> ChildProgram {
    for file in files {
      if let slash = file.path.lastIndex(of: "/") {
        try FileBytes.makeDirectory(String(file.path[..<slash]), mode: 0o700)
      }
      try FileBytes.replace(file.path, with: file.bytes, mode: 0o600)
    }
    return try ChildProgram(path, arguments, input: input, environment: environment)
  }

  /// The text of a failure, nil for success.
  func failure(_ ending: ChildProgram.Ending?) -> String? {
    guard let failure = ending?.failure else { return nil }
    return isUnit
      ? "\(name): systemctl start \(failure); see systemctl status \(name)" : "\(name): \(failure)"
  }

  // MARK: Environment files

  /// The variables as lines of an `EnvironmentFile=`, sorted by name. A name that is not a variable is left out.
  static func assignments(_ variables: [String: String]) -> String {
    variables.sorted { $0.key < $1.key }.filter { isVariable($0.key) }
      .map { "\($0.key)=\(quoted($0.value))\n" }.joined()
  }

  private static func isVariable(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  /// The value in double quotes. Within them systemd resolves a backslash before `"`, `\`, `` ` `` and `$`, and expands
  /// nothing. It discards a variable with control characters or noncharacters of Unicode, so U+FFFD replaces those. Line
  /// feed and tab are permitted.
  private static func quoted(_ value: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\", "`", "$":
        text.unicodeScalars.append("\\")
        text.unicodeScalars.append(scalar)
      case "\n", "\t": text.unicodeScalars.append(scalar)
      default: text.unicodeScalars.append(isPermitted(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return text + "\""
  }

  private static func isPermitted(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F, 0xFDD0...0xFDEF: false
    default: scalar.value & 0xFFFE != 0xFFFE
    }
  }
}
