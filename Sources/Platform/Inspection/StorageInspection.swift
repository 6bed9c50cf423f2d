import Doctor
import Glibc
import Medium

extension StorageFacts {
  /// Reads mounts, space, wear and journal settings for a storage directory.
  public init(_ tree: FileTree, directory path: String?) {
    self.init()
    mounts = Mount.all(tree.text("/proc/self/mountinfo") ?? "")
    hasJournalDirectory = tree.exists("/var/log/journal")
    journal = Self.journal(tree)
    guard let path else { return }
    directory = Self.directory(tree, path)
    space = Self.space(tree, path)
    guard let mount = Mount.holding(path, of: mounts) else { return }
    readMedium(tree, mount)
  }

  private static func directory(_ tree: FileTree, _ path: String) -> Fact<FileNode> {
    if let node = tree.node(path) { return .known(node) }
    let parent = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
    if case .hidden(let reason) = tree.list(parent) { return .hidden(reason) }
    return .absent
  }

  /// Space of the directory, or of the first existing directory above it (statvfs(3)).
  private static func space(_ tree: FileTree, _ path: String) -> Fact<Space> {
    var parts = path.split(separator: "/")
    while true {
      var status = statvfs()
      if statvfs(tree.systemPath("/" + parts.joined(separator: "/")), &status) == 0 {
        func bytes(_ blocks: UInt) -> Int64 {
          let (product, isTooLarge) = blocks.multipliedReportingOverflow(by: UInt(status.f_frsize))
          return isTooLarge ? .max : Int64(clamping: product)
        }
        return .known(Space(free: bytes(UInt(status.f_bavail)), total: bytes(UInt(status.f_blocks))))
      }
      if errno == EACCES { return .hidden("\(path): this user has no permission") }
      guard parts.popLast() != nil else { return .absent }
    }
  }

  /// Reads errors, wear and flushes of the block device behind a mount.
  private mutating func readMedium(_ tree: FileTree, _ mount: Mount) {
    guard let device = BlockDevice(tree, mount) else { return }
    disk = device.disk
    if mount.fileSystem == "ext4" {
      fileSystemErrors =
        tree.integer("/sys/fs/ext4/\(device.partition)/errors_count").map { .known($0) } ?? .absent
    }
    wear = device.wear(tree).map { .known($0) } ?? .absent
    // Documentation/block/stat.rst: fields 16 and 17 are the flushes and their time in ms.
    let counts = (tree.line("/sys/block/\(device.disk)/stat") ?? "").split { $0.isWhitespace }.map {
      Int64($0)
    }
    if counts.count >= 17, let count = counts[15], let time = counts[16] {
      flushes = .known(Flushes(count: count, milliseconds: time))
    }
  }

  /// The settings of journald in the order in which files override each other (journald.conf(5)).
  private static func journal(_ tree: FileTree) -> [String: String] {
    var files: [String: String] = [:]
    for folder in ["/usr/lib", "/run", "/etc"].map({ "\($0)/systemd/journald.conf.d" }) {
      for name in tree.names(folder) where name.hasSuffix(".conf") { files[name] = "\(folder)/\(name)" }
    }
    let paths =
      ["/usr/lib/systemd/journald.conf", "/etc/systemd/journald.conf"]
      + files.sorted { $0.key < $1.key }.map(\.value)
    var settings: [String: String] = [:]
    for path in paths {
      for line in (tree.text(path) ?? "").split(separator: "\n").map(\.trimmed) {
        guard !line.hasPrefix("#"), !line.hasPrefix(";"), let equals = line.firstIndex(of: "=") else {
          continue
        }
        settings[String(line[..<equals].trimmed)] = String(line[line.index(after: equals)...].trimmed)
      }
    }
    return settings
  }
}

extension NetworkFacts {
  /// Reads the default routes.
  public init(_ tree: FileTree) {
    self.init()
    let four = tree.text("/proc/net/route")
    let six = tree.text("/proc/net/ipv6_route")
    guard four != nil || six != nil else {
      defaultRoutes = .hidden("/proc/net/route cannot be read")
      return
    }
    var interfaces: Set<String> = []
    for line in (four ?? "").split(separator: "\n").dropFirst() {
      let words = line.split { $0.isWhitespace }
      if words.count > 7, words[1] == "00000000", words[7] == "00000000" {
        interfaces.insert(String(words[0]))
      }
    }
    let unspecified = String(repeating: "0", count: 32)
    for line in (six ?? "").split(separator: "\n") {
      let words = line.split { $0.isWhitespace }
      // Rejecting routes of the kernel are on lo.
      if words.count > 9, words[0] == unspecified, words[1] == "00", words[9] != "lo" {
        interfaces.insert(String(words[9]))
      }
    }
    defaultRoutes = .known(interfaces.sorted())
  }
}
