import Glibc

/// Names the file or directory to which this user lacks a permission, and the remedy.
struct AccessAdvice: Error, Equatable, CustomStringConvertible {
  /// The file itself, or the first directory above it that this user may not enter.
  var path: String
  var user: String
  /// The group whose members have the permission; nil if no group but root's has it.
  var group: String?

  /// The permissions of a file, as stat(2) reports them.
  struct Permissions {
    var mode: mode_t
    var group: gid_t
  }

  init(path: String, user: String, group: String?) {
    (self.path, self.user, self.group) = (path, user, group)
  }

  /// Finds the missing permission; nil if this user may open `path`, or if it cannot be opened for another reason.
  /// `writing` checks the permission to write, too, which a socket requires.
  init?(opening path: String, writing: Bool = false) {
    let parts = path.split(separator: "/")
    var directories = path.hasPrefix("/") ? ["/"] : []
    for count in 1..<max(parts.count, 1) {
      directories.append((path.hasPrefix("/") ? "/" : "") + parts[..<count].joined(separator: "/"))
    }
    if let closed = directories.first(where: { Self.isDenied($0, X_OK) }) {
      self.init(closed, needs: 0o010)
    } else if Self.isDenied(path, writing ? R_OK | W_OK : R_OK) {
      self.init(path, needs: writing ? 0o060 : 0o040)
    } else {
      return nil
    }
  }

  /// Finds the missing permission for the log of a storage directory; nil if this user may read it.
  init?(readingLogIn directory: String) { self.init(opening: "\(directory)/outrider.db") }

  private init(_ path: String, needs bits: mode_t) {
    var status = stat()
    let isKnown = stat(path, &status) == 0
    self.init(
      path: path, user: Self.userName,
      group: isKnown
        ? Self.group(of: Permissions(mode: status.st_mode, group: status.st_gid), needs: bits, Self.name(of:))
        : nil)
  }

  /// The group that has all of `bits`; nil for root's group and for a group without a name.
  static func group(of permissions: Permissions, needs bits: mode_t, _ name: (gid_t) -> String?) -> String? {
    permissions.mode & bits == bits && permissions.group != 0 ? name(permissions.group) : nil
  }

  var description: String {
    let remedy = group.map {
      "add the user to the group \($0) (sudo usermod -aG \($0) \(user), then log in again), or use sudo"
    }
    return "\(path): the user \(user) has no permission; \(remedy ?? "use sudo")"
  }

  private static func isDenied(_ path: String, _ mode: Int32) -> Bool {
    errno = 0
    return access(path, mode) != 0 && errno == EACCES
  }

  private static var userName: String {
    guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name else { return "\(geteuid())" }
    return String(cString: name)
  }

  private static func name(of group: gid_t) -> String? {
    guard let entry = getgrgid(group), let name = entry.pointee.gr_name else { return nil }
    return String(cString: name)
  }
}
