import Glibc
import Provisioning
import System

extension FileStep {
  /// Performs the step on the files below `root`.
  func perform(below root: String) throws(FileFault) {
    do throws(SystemError) {
      switch self {
      case .makeDirectory(let path):
        if access(root + path, F_OK) != 0 { try Self.createDirectory(path, below: root) }
      case .write(let path, let bytes, let access): try Self.writeFile(root + path, bytes, access)
      case .erase(let path): try Self.overwrite(root + path)
      case .sync(let path): try Self.flush(root + path, Self.safely)
      case .rename(let path, let target):
        try check("rename", on: root + target, Glibc.rename(root + path, root + target))
      case .syncDirectory(let path): try Self.flush(root + path, O_RDONLY | O_DIRECTORY)
      case .remove(let path):
        if unlink(root + path) != 0, errno != ENOENT {
          throw SystemError(call: "unlink", subject: root + path, number: errno)
        }
      }
    } catch {
      throw FileFault(error)
    }
  }

  private static func createDirectory(_ path: String, below root: String) throws(SystemError) {
    guard path.hasPrefix("/var/lib/") else { return try FileBytes.makeDirectory(root + path) }
    // Log and settings are for their user and group only, as StateDirectoryMode= of the service has it.
    try FileBytes.makeDirectory(root + path, mode: 0o750)
    guard geteuid() == 0, let user = getpwnam("outrider") else { return }
    try check("chown", on: root + path, chown(root + path, user.pointee.pw_uid, user.pointee.pw_gid))
  }

  /// Flags for a file in a directory of another user, who could put a link or a pipe in its place.
  private static let safely = O_NOFOLLOW | O_NONBLOCK

  private static func writeFile(_ path: String, _ bytes: [UInt8], _ access: Access) throws(SystemError) {
    var flags = O_WRONLY | O_CREAT | O_CLOEXEC | safely
    let mode: mode_t
    switch access {
    case .configuration: mode = 0o640
    case .state: mode = 0o600
    case .boot: mode = 0o644
    }
    if access == .boot {
      flags |= O_TRUNC
    } else {
      // A leftover of a write that a power cut interrupted. Its owner could still read it.
      unlink(path)
      flags |= O_EXCL
    }
    let file = Descriptor(owning: try check("open", on: path, open(path, flags, mode)))
    if access == .configuration, geteuid() == 0, let group = getgrnam("outrider") {
      try check("fchown", on: path, fchown(file.raw, 0, group.pointee.gr_gid))
      try check("fchmod", on: path, fchmod(file.raw, mode))
    }
    try file.write(bytes, to: path)
  }

  private static func overwrite(_ path: String) throws(SystemError) {
    let file = Descriptor(owning: try check("open", on: path, open(path, O_WRONLY | O_CLOEXEC | safely)))
    var facts = stat()
    try check("fstat", on: path, fstat(file.raw, &facts))
    try file.write([UInt8](repeating: 0, count: min(Int(facts.st_size), BootFile.largest)), to: path)
    try check("fsync", on: path, fsync(file.raw))
  }

  private static func flush(_ path: String, _ flags: Int32) throws(SystemError) {
    let file = Descriptor(owning: try check("open", on: path, open(path, flags | O_CLOEXEC)))
    // Some file systems cannot flush a directory; its files are safe then.
    if fsync(file.raw) != 0, errno != EINVAL {
      throw SystemError(call: "fsync", subject: path, number: errno)
    }
  }
}

extension FileFault {
  /// Classifies a failed system call.
  init(_ error: SystemError) {
    switch error.number {
    case ENOENT, ENOTDIR: self = .absent
    case EROFS: self = .readOnly(reason: "\(error)")
    case EFBIG: self = .tooLarge
    case EACCES, EPERM: self = .other(reason: "\(error); use sudo")
    case _: self = .other(reason: "\(error)")
    }
  }

  init(_ failure: FileFailure) {
    switch failure {
    case .notRegular: self = .notAFile
    case .system(let error): self.init(error)
    }
  }
}
