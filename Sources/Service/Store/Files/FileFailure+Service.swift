import Glibc
import System

extension FileFailure {
  /// The failure to write a file; with the directive that permits it, if the sandbox of the service can be the cause
  /// (systemd.exec(5), "Sandboxing").
  var withServiceAdvice: String {
    guard case .system(let error) = self else { return "\(self)" }
    let isInHome = error.subject.hasPrefix("/home/") || error.subject.hasPrefix("/root/")
    return switch error.number {
    case EROFS: "\(self); if the service is to write here, permit it with ReadWritePaths= in a drop-in"
    case EACCES where isInHome, ENOENT where isInHome:
      "\(self); if the service is to write here, permit it with ProtectHome=no and ReadWritePaths= in a drop-in"
    case _: "\(self)"
    }
  }
}
