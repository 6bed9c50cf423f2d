import Glibc

/// Where the certificates of the system's authorities are read from.
enum TrustedAuthorities {
  /// What libcurl was built with: one file with all of them.
  case builtIn
  /// A directory with one hashed name for each (c_rehash(1)).
  case directory(String)

  /// The directory when the system keeps one: OpenSSL then reads the one certificate it needs, instead of
  /// keeping all of the some 140 in memory (0.8 MiB).
  static func ofSystem(directory path: String = "/etc/ssl/certs") -> TrustedAuthorities {
    guard let directory = opendir(path) else { return .builtIn }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let isHash = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        name.count > 10 && name.prefix(8).allSatisfy { isHexDigit($0) } && name[8] == UInt8(ascii: ".")
          && name[9] == UInt8(ascii: "0")
      }
      if isHash { return .directory(path) }
    }
    return .builtIn
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }
}
