import Glibc
import Provisioning

/// The configuration file that is used without `--config`.
struct UsualConfiguration {
  /// The file that applies, or the usual path if there is none.
  let path: String
  /// The reason why the file is not the one in `/etc`; nil if it is.
  let reason: String?
  /// The message about a second file that is ignored; nil if there is none.
  let warning: String?

  /// Searches the usual places below `root`. `$OUTRIDER_CONFIG` is not considered.
  init(root: String = "") {
    // Without a second file, no table of mounts is read.
    guard Self.exists(root + ConfigurationLocation.lasting) else {
      (path, reason, warning) = (root + ConfigurationLocation.usual, nil, nil)
      return
    }
    let location = ConfigurationLocation(HostReader(root: root).mounts)
    let found = location.search.filter { Self.exists(root + $0) }
    let first = found.first ?? location.target
    path = root + first
    reason =
      first == ConfigurationLocation.usual ? nil : location.reason.map { "/etc is \($0)" } ?? "/etc has none"
    warning = found.dropFirst().first.map { ignored in
      let cause = location.reason.map { "because /etc is \($0)" } ?? "because /etc keeps its files"
      return "\(root + ignored): ignored, \(cause) and \(root + first) exists; remove one of them"
    }
  }

  /// True if the file can be found; a directory that this user may not enter counts as empty.
  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
