/// The reason why a board is not set up.
public enum SetupError: Error, Equatable, Sendable {
  /// There is no config.txt: this is no Raspberry Pi.
  case noBootPartition
  /// The text of the file at this path.
  case configuration(String, BootConfigurationError)
  case tooLarge(String, limit: Int)
}

extension SetupError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noBootPartition:
      "no config.txt in /boot/firmware or /boot: this is no Raspberry Pi, or its boot partition is not mounted; "
        + "make the changes above by hand, or mount it"
    case .configuration(let path, let error): "\(path): \(error)"
    case .tooLarge(let path, let limit):
      "\(path): would have more than \(limit) bytes; remove comments from it"
    }
  }
}

extension BootConfiguration {
  /// Reads the bytes of the file at `path`, for messages.
  init(_ bytes: [UInt8], at path: String) throws(SetupError) {
    do { try self.init(bytes) } catch { throw .configuration(path, error) }
  }
}
