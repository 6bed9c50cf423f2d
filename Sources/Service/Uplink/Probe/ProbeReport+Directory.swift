import Glibc
import System

extension ProbeReport {
  /// Tests that a directory exists or can be created, and is writable. This may wait for the storage medium.
  public init(directory path: String) {
    self.init()
    do {
      try FileBytes.makeDirectory(path, mode: 0o750)
      // makeDirectory accepts a regular file of this name.
      if access(path + "/.", W_OK) == 0 {
        add(.directory, .good, "can be written")
      } else {
        add(.directory, .bad, "\(path): \(String(cString: strerror(errno))); give it to this user")
      }
    } catch {
      add(.directory, .bad, "\(error); choose a directory that this user may write")
    }
  }
}
