import BoardSetup
import Glibc
import System

/// The reason why the files of a system could not be read or written.
public enum SetupFailure: Error, Equatable, Sendable {
  case file(FileFailure)
  case system(SystemError)
  /// The file is a symbolic link, which a replacement would destroy.
  case symbolicLink(String)
  /// The boot partition is not mounted at this path.
  case notMounted(String)
  /// Another program changed the file after the changes were shown.
  case changedMeanwhile(String)
  /// Commands with their failures.
  case commands([String])

  /// True if root could have done it.
  public var isOfAccess: Bool {
    switch self {
    case .file(let failure): failure.isOfAccess
    case .system(let error): error.number == EACCES || error.number == EPERM
    case .symbolicLink, .notMounted, .changedMeanwhile, .commands: false
    }
  }
}

extension SetupFailure: CustomStringConvertible {
  public var description: String {
    isOfAccess ? "\(reason); run the command with sudo" : reason
  }

  private var reason: String {
    switch self {
    case .file(let failure):
      failure.number == EFBIG ? "\(failure); remove comments from the file" : "\(failure)"
    case .system(let error) where error.number == EROFS:
      "\(error); make the file system writable (sudo mount -o remount,rw), or switch off the overlay in raspi-config"
    case .system(let error): "\(error)"
    case .symbolicLink(let path):
      "\(path): is a symbolic link; replace it by the file, or edit that file by hand"
    case .notMounted(let path):
      "\(path): contains no config.txt, so the boot partition is not mounted; run sudo mount \(path)"
    case .changedMeanwhile(let path): "\(path): another program changed it just now; run the command again"
    case .commands(let failures): failures.joined(separator: "\n")
    }
  }
}
