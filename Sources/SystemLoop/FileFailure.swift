import Glibc

/// Why a whole file could not be read.
public enum FileFailure: Error, Equatable, Sendable {
  /// There is something else at the path: a pipe or a device, whose end may never come, or a directory.
  case notRegular(path: String, kind: Kind)
  case system(SystemError)

  public enum Kind: String, Equatable, Sendable {
    case pipe, device, directory

    /// From `st_mode` (inode(7)); nil for a regular file.
    init?(mode: mode_t) {
      switch mode & S_IFMT {
      case S_IFREG: return nil
      case S_IFIFO: self = .pipe
      case S_IFDIR: self = .directory
      case _: self = .device
      }
    }
  }

  /// The kernel's error number; nil where it reported none.
  public var number: Int32? {
    switch self {
    case .notRegular: nil
    case .system(let error): error.number
    }
  }

  /// The file is there, but not for this user.
  public var isOfAccess: Bool { number == EACCES || number == EPERM }
}

extension FileFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notRegular(let path, let kind): "\(path): this is a \(kind.rawValue) and no regular file"
    case .system(let error): "\(error)"
    }
  }
}
