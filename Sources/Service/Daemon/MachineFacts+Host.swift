import Glibc
import Settings

extension MachineFacts {
  /// The facts about the host of this process.
  public static let host = MachineFacts(
    programFault: { path in
      if let unit = HookUnit(path) { return Self.fault(of: unit) }
      var facts = stat()
      guard stat(path, &facts) == 0 else {
        // The user of the logger may have access to a directory that this user cannot enter.
        return [ENOENT, ENOTDIR, ELOOP].contains(errno) ? "does not exist" : nil
      }
      if facts.st_mode & S_IFMT != S_IFREG { return "is not a program" }
      return facts.st_mode & 0o111 == 0 ? "is not executable (chmod +x)" : nil
    },
    hasWirelessNetwork: {
      guard let directory = opendir("/sys/class/ieee80211") else {
        // Without a driver there is no such class; without any class the answer is unknown.
        return access("/sys/class/net", F_OK) != 0
      }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        // Names of devices do not begin with a dot.
        if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { return true }
      }
      return false
    })
  /// The directories of system units (systemd.unit(5)).
  private static let unitDirectories = [
    "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
    "/lib/systemd/system",
  ]

  private static func fault(of unit: HookUnit) -> String? {
    let isInstalled = unitDirectories.contains { access("\($0)/\(unit.file)", F_OK) == 0 }
    return isInstalled ? nil : "is not installed in /etc/systemd/system"
  }
}
