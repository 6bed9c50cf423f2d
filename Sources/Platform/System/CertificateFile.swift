import Glibc

/// A PEM file that a setting names: certificates, or a private key.
///
/// Libraries open such a path by themselves and would wait for the writer of a pipe. They get the bytes instead, or the
/// path after this check.
public enum CertificateFile {
  /// The largest file that is read, in bytes. All authorities of Debian together have 220 kB.
  public static let limit = 2 * 1024 * 1024

  /// Reads the file. Never waits for the writer of a pipe or for a device, and opens none. A network file system that
  /// does not respond blocks the caller.
  public static func read(_ path: String) throws(Failure) -> [UInt8] {
    let bytes: [UInt8]
    do throws(FileFailure) {
      // Opening a device may have an effect, so its kind is checked first.
      try FileBytes.checkRegular(path)
      bytes = try FileBytes.read(path, limit: limit)
    } catch {
      throw Failure(path: path, reason: reason(error))
    }
    guard !bytes.isEmpty else { throw Failure(path: path, reason: "the file is empty") }
    return bytes
  }

  /// The reason why a file cannot be used, with its path.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    public let path: String
    public let reason: String

    public init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

    public var description: String { "\(path): \(reason)" }
  }

  private static func reason(_ failure: FileFailure) -> String {
    switch failure {
    case .notRegular(_, let kind): "is a \(kind.rawValue), not a regular file"
    case .system(let error) where error.number == EFBIG: "is larger than \(limit / 1024 / 1024) MiB"
    case .system(let error): String(cString: strerror(error.number)).lowercased()
    }
  }
}
