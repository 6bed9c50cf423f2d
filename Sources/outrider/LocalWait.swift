import Glibc

/// Waiting of a command that has nothing else to do.
enum LocalWait {
  /// A twentieth of a second.
  static func briefly() { poll(nil, 0, 50) }
}
