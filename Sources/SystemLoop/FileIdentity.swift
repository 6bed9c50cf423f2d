import Glibc

/// Which file or directory a path leads to, whatever names it has (stat(2)).
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64
  public let isRegular: Bool

  /// Nil where there is none; errno then says why.
  public init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    isRegular = status.st_mode & S_IFMT == S_IFREG
  }
}
