/// One operation on a file. A power cut can happen between any two steps.
public enum FileStep: Equatable, Sendable {
  /// The owner and permissions of a new file.
  public enum Access: Equatable, Sendable {
    /// Root writes, the group `outrider` reads: 0640.
    case configuration
    /// The owner of the directory only.
    case state
    /// As the boot partition's file system has it.
    case boot
  }

  /// Creates a directory; an existing one is no error.
  case makeDirectory(String)
  /// Creates or empties a file and writes it. It is durable after ``sync(_:)``.
  case write(String, [UInt8], Access)
  /// Overwrites a file in place with zeros, so that its former content cannot be restored on a PC, and flushes it.
  case erase(String)
  /// Flushes a file (fsync(2)).
  case sync(String)
  /// Renames a file; the target is replaced (rename(2)).
  case rename(String, to: String)
  /// Flushes the entries of a directory (fsync(2)).
  case syncDirectory(String)
  /// Removes a file; a missing one is no error.
  case remove(String)
}

/// The reason why a file operation failed.
public enum FileFault: Error, Equatable, Sendable {
  case absent
  /// The file system is mounted read-only.
  case readOnly(reason: String)
  case tooLarge
  case notAFile
  case other(reason: String)

  public var reason: String {
    switch self {
    case .absent: "the file does not exist"
    case .readOnly(let reason), .other(let reason): reason
    case .tooLarge: "the file is too large"
    case .notAFile: "not a regular file"
    }
  }
}

extension [FileStep] {
  /// Replaces the file at an absolute path so that after a power cut either the old or the new one exists.
  public static func replacing(_ path: String, with bytes: [UInt8], _ access: FileStep.Access) -> Self {
    let directory = path.directory
    let draft = path + ".new"
    return [
      .makeDirectory(directory), .syncDirectory(directory.directory), .write(draft, bytes, access),
      .sync(draft),
      .rename(draft, to: path), .syncDirectory(directory),
    ]
  }

  /// The steps that remove the drafts of a replacement that failed: a draft can contain secrets.
  public var afterFailure: Self {
    compactMap { step in
      if case .write(let path, _, let access) = step, access != .boot { .remove(path) } else { nil }
    }
  }

  /// Writes a file of the boot partition. FAT has no atomic rename, so the file itself is written; nothing depends on it.
  static func writingInPlace(_ path: String, _ bytes: [UInt8]) -> Self {
    [.write(path, bytes, .boot), .sync(path), .syncDirectory(path.directory)]
  }

  /// Removes a file of the boot partition after its content.
  static func erasing(_ path: String) -> Self {
    [.erase(path), .remove(path), .syncDirectory(path.directory)]
  }
}

extension String {
  /// The directory of a path; `/` for a file in the root.
  var directory: String {
    guard let slash = lastIndex(of: "/"), slash > startIndex else { return "/" }
    return String(self[..<slash])
  }
}
