import Glibc
import System

/// The reason why a start of the service rejected the configuration. The next start that succeeds records it as an event.
///
/// The rejected configuration would name the directory of the log. The file is therefore in the state directory of the
/// service (systemd.exec(5), `StateDirectory=`); a logger without one keeps no reason.
struct RejectedStart {
  private static let longest = 400

  private let path: String

  /// Creates the place of the reason; nil without a state directory.
  init?() {
    guard let directories = ProcessEnvironment.variable("STATE_DIRECTORY"),
      let directory = directories.split(separator: ":").first
    else { return nil }
    path = "\(directory)/start-rejected"
  }

  /// Keeps the first line of a message. A retry with the same reason writes nothing.
  func keep(_ message: String) {
    let line = message.split(whereSeparator: \.isNewline).first ?? ""
    let bytes = Array(line.utf8.filter { $0 >= 0x20 && $0 != 0x7F }.prefix(Self.longest))
    guard (try? FileBytes.read(path, limit: Self.longest)) != bytes else { return }
    do { try FileBytes.replace(path, with: bytes, mode: 0o600) } catch {
      Console.complain("\(error); the log will not contain the reason")
    }
  }

  /// Removes the reason, and returns it; nil if the last start was not rejected.
  func take() -> String? {
    let bytes = try? FileBytes.read(path, limit: Self.longest)
    unlink(path)
    guard let bytes, !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
