import Glibc

/// The reason why a file could not be read.
public enum FileFailure: Error, Equatable, Sendable {
  /// The path is a pipe or a device, which may have no end, or a directory.
  case notRegular(path: String, kind: Kind)
  case system(SystemError)

  /// The kind of a file that is not regular.
  public enum Kind: String, Equatable, Sendable {
    case pipe, device, directory

    /// Converts `st_mode` (inode(7)); nil for a regular file.
    init?(mode: mode_t) {
      switch mode & S_IFMT {
      case S_IFREG: return nil
      case S_IFIFO: self = .pipe
      case S_IFDIR: self = .directory
      case _: self = .device
      }
    }
  }

  /// The kernel's error number; nil if there is none.
  public var number: Int32? {
    switch self {
    case .notRegular: nil
    case .system(let error): error.number
    }
  }

  /// True if the file exists but this user has no permission.
  public var isOfAccess: Bool { number == EACCES || number == EPERM }
}

extension FileFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notRegular(let path, let kind): "\(path): is a \(kind.rawValue), not a regular file"
    case .system(let error): "\(error)"
    }
  }
}
