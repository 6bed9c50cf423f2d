/// The reason why a file of the boot partition was not applied, or was applied in part.
///
/// The description says what failed, with the evidence and the remedy. It contains no secret.
public enum BootFault: Error, Equatable, Sendable {
  case unreadable(path: String, reason: String)
  /// A directory, pipe or device.
  case notAFile(path: String)
  case tooLarge(path: String)
  case empty(path: String)
  case utf16(path: String)
  /// The byte at this offset cannot be part of a text.
  case binary(path: String, offset: Int)
  case mistakenName(path: String, meant: BootFile)
  /// Both files exist, and neither was applied before.
  case twoFiles(String, String)
  /// The configuration is invalid; one line per error, with file, line and key.
  case invalid([String])
  /// The placeholder of a copy without secrets, in place of a secret.
  case placeholder(location: String)
  /// A variable that this device does not have; `reason` is the remedy.
  case noValue(location: String, variable: HostIdentity.Variable)
  case unknownVariable(location: String, name: String)
  case unclosedVariable(location: String, text: String)
  case noBoard(path: String)
  /// The line is neither a setup URL nor an https address.
  case address(path: String, reason: String)
  case rejectedByServer(path: String, server: String, status: Int)
  /// The storage medium of the device does not accept the configuration.
  case notWritten(path: String, reason: String)
  /// The configuration is applied, the board is not set up.
  case board(name: String, reason: String)

  /// True if the new configuration is in effect in spite of the fault.
  var isApplied: Bool { if case .board = self { true } else { false } }
}

extension BootFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let path, let reason):
      "\(path): cannot be read (\(reason)); copy the file again, and check the card on a PC"
    case .notAFile(let path): "\(path): is not a regular file; remove it, and copy the file itself"
    case .tooLarge(let path):
      "\(path): more than \(BootFile.largest >> 10) KiB; a configuration is smaller, so check that it is the right file"
    case .empty(let path):
      "\(path): the file is empty; copy it again, and eject the card before you remove it from the PC"
    case .utf16(let path):
      "\(path): the text is UTF-16; save it as UTF-8 (Notepad: Save as, Encoding: UTF-8)"
    case .binary(let path, let offset):
      "\(path): not a text (byte \(offset) is NUL); copy the file again, and save it as plain text in UTF-8"
    case .mistakenName(let path, let meant):
      "\(path): the name must be \(meant.rawValue); rename the file "
        + "(Windows hides the last extension: Explorer, View, Show, File name extensions)"
    case .twoFiles(let first, let second):
      "\(first) and \(second): only one of them is allowed; remove the other"
    case .invalid(let lines): lines.joined(separator: "\n")
    case .placeholder(let location):
      "\(location): contains \"…\", which replaces a secret in a copy; write the value itself"
    case .noValue(let location, let variable):
      "\(location): ${\(variable.rawValue)} has no value, because this device has no \(variable.subject); "
        + "write the name itself, or use \(variable.others)"
    case .unknownVariable(let location, let name):
      "\(location): unknown variable ${\(name)}; available: "
        + HostIdentity.Variable.allCases.map { "${\($0.rawValue)}" }.joined(separator: ", ")
    case .unclosedVariable(let location, let text):
      "\(location): ${\(text) has no closing brace; write ${NAME}, or the name itself"
    case .noBoard(let path): "\(path): apply_board requires board; give the name of a board (outrider boards)"
    case .address(let path, let reason): "\(path): \(reason)"
    case .rejectedByServer(let path, let server, let status):
      "\(path): \(server) returned HTTP status \(status); "
        + ((300...399).contains(status)
          ? "redirects are not followed, so give the final address" : "check the address and its token")
    case .notWritten(let path, let reason):
      "\(path): cannot write the configuration (\(reason)); check the storage medium, its free space, and that nothing else has this name"
    case .board(let name, let reason):
      "board \(name): the configuration is applied, but the board is not set up: \(reason); "
        + "then run sudo outrider boards \(name) --apply"
    }
  }
}

extension BootFault {
  /// The content of ``BootFile/errorName``.
  var page: String {
    let outcome =
      isApplied
      ? "The new configuration is in effect. This page disappears when another file is applied."
      : "The device keeps its previous configuration. Correct the file and start the device again. "
        + "This page then disappears."
    return "Outrider could not set up this device:\n\n\(self)\n\n\(outcome)\n"
  }
}
