import Foundation
import Glibc

/// A real gpsd that reads one line and never writes to it.
public final class GPSDProgram {
  private static let path = "/usr/sbin/gpsd"
  public static var isInstalled: Bool { access(path, X_OK) == 0 }

  private let process = Process()

  /// `port` is its port on the loopback interface, `device` the line that it reads.
  public init(port: UInt16, device: String) throws {
    process.executableURL = URL(fileURLWithPath: Self.path)
    process.arguments = ["-N", "-n", "-b", "-S", "\(port)", device]
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
}
