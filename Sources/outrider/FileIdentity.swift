import Glibc

/// Which regular file a path leads to, whatever names it has (stat(2)).
struct FileIdentity: Equatable {
  var device: UInt64
  var number: UInt64

  /// Nil where there is none, or no regular one.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  var text: String { "\(device):\(number)" }
}
