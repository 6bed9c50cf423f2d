import Glibc
import Settings

extension MachineFacts {
  /// The machine that this process runs on.
  public static let host = MachineFacts(
    programFault: { path in
      var facts = stat()
      guard stat(path, &facts) == 0 else {
        // A folder that this user may not enter can be open to the logger's user.
        return [ENOENT, ENOTDIR, ELOOP].contains(errno) ? "does not exist" : nil
      }
      if facts.st_mode & S_IFMT != S_IFREG { return "is not a program" }
      return facts.st_mode & 0o111 == 0 ? "is not executable (chmod +x)" : nil
    },
    hasWirelessNetwork: {
      guard let directory = opendir("/sys/class/ieee80211") else {
        // Without the driver there is no such class; without any class nobody knows.
        return access("/sys/class/net", F_OK) != 0
      }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        // Every device has a name that does not begin with a dot.
        if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { return true }
      }
      return false
    })
}
