/// A file that the set-up of a board may write.
public enum SetupFile: String, CaseIterable, Codable, Sendable {
  case configuration, commandLine, modules, watchdog

  /// True for the files of the boot partition.
  public var isOfBootPartition: Bool { self == .configuration || self == .commandLine }

  /// The path from the root directory; `bootFolder` is the mount point of the boot partition.
  ///
  /// The names below /etc differ from those of the package, which a file of the same name would replace.
  public func path(bootFolder: String) -> String {
    switch self {
    case .configuration: "\(bootFolder)/config.txt"
    case .commandLine: "\(bootFolder)/cmdline.txt"
    case .modules: "/etc/modules-load.d/outrider-board.conf"
    case .watchdog: "/etc/systemd/system.conf.d/outrider-board.conf"
    }
  }

  /// The suffix of the copy that stands beside the file.
  ///
  /// On the boot partition it can be read on a PC; below /etc no program reads files with this suffix.
  public static let copySuffix = ".before-outrider"

  /// Size of a file that is certainly none of these, in bytes.
  public var largest: Int { BootConfiguration.largest }
}

/// A change of one file.
public struct FileChange: Equatable, Sendable {
  public let file: SetupFile
  /// The path, with the root directory.
  public let path: String
  /// The present bytes; nil if there is no file.
  public let old: [UInt8]?
  /// The bytes to write; nil to remove the file.
  public let new: [UInt8]?

  public init(_ file: SetupFile, path: String, old: [UInt8]?, new: [UInt8]?) {
    (self.file, self.path, self.old, self.new) = (file, path, old, new)
  }

  /// The change as a unified diff with its header.
  public var diff: [String] {
    [
      "--- \(old == nil ? "/dev/null" : path)", "+++ \(new == nil ? "/dev/null" : path)",
    ] + UnifiedDiff(old ?? [], new ?? []).lines
  }
}
