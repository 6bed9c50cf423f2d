import Glibc

/// A pause of a command that polls the running logger.
enum LocalWait {
  /// Waits for 50 ms.
  static func briefly() { poll(nil, 0, 50) }
}
