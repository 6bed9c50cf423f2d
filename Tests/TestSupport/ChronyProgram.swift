import Foundation
import Glibc

/// A real chronyd that measures a SOCK reference clock and never sets the system clock (`-x`).
///
/// It does not follow the reference clock either (`noselect`): otherwise its own time, and with it the offset, would change.
public final class ChronyProgram {
  private static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin"])
      .map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  private static let daemon = find("chronyd")
  private static let client = find("chronyc")
  public static var isInstalled: Bool { daemon != nil && client != nil }

  private let process = Process()
  private let commands: String
  /// Path of the socket of the reference clock.
  public let socket: String

  /// Starts chronyd with its files in `directory`, which must be absolute and short (unix(7)).
  public init(directory: String) throws {
    socket = directory + "/chrony.outrider.sock"
    // chronyd requires that nobody else has access to this directory.
    let own = directory + "/run"
    try FileManager.default.createDirectory(
      atPath: own, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
    commands = own + "/chronyd.sock"
    let configuration = directory + "/chrony.conf"
    try """
    refclock SOCK \(socket) refid GNSS poll 0 filter 4 noselect
    bindcmdaddress \(commands)
    cmdport 0
    port 0
    pidfile \(own)/chronyd.pid

    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    process.executableURL = URL(fileURLWithPath: Self.daemon ?? "")
    let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "root"
    process.arguments = ["-d", "-x", "-U", "-u", user, "-f", configuration]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
  }

  deinit { kill() }

  public func kill() {
    guard process.isRunning else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The fields of the only source in a report of chronyc, such as `sources`; empty while chronyd does not respond.
  public func fields(of report: String) throws -> [String] {
    let program = Process()
    let output = Pipe()
    program.executableURL = URL(fileURLWithPath: Self.client ?? "")
    program.arguments = ["-c", "-n", "-h", commands, report]
    program.standardOutput = output
    program.standardError = FileHandle.nullDevice
    try program.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    program.waitUntilExit()
    guard program.terminationStatus == 0 else { return [] }
    return text.split(separator: "\n").first?.split(separator: ",", omittingEmptySubsequences: false)
      .map(String.init) ?? []
  }
}
