import Glibc

/// Identifies the file or directory at a path, independently of its names (stat(2)).
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64
  public let isRegular: Bool

  /// Reads the identity; nil if the path does not exist. errno then has the reason.
  public init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    isRegular = status.st_mode & S_IFMT == S_IFREG
  }
}
