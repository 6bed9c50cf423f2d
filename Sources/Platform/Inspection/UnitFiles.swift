import Doctor

/// The unit files of systemd (systemd.unit(5)).
public struct UnitFiles: Sendable {
  private let tree: FileTree
  /// The directories of units, the one that overrides the others last.
  private static let folders = ["/usr/lib", "/lib", "/run", "/etc"].map { "\($0)/systemd/system" }

  public init(_ tree: FileTree) { self.tree = tree }

  /// Returns the texts of the drop-ins of a unit file in the order of their names.
  ///
  /// For a file in a directory of systemd, a drop-in in another one of these overrides that of the same name.
  public func dropIns(of path: String) -> [String] {
    let (folder, name) = parts(path)
    var files: [String: String] = [:]
    for folder in Self.folders.contains(folder) ? Self.folders : [folder] {
      let dropIns = "\(folder)/\(name).d"
      for name in tree.names(dropIns) where name.hasSuffix(".conf") { files[name] = "\(dropIns)/\(name)" }
    }
    return files.sorted { $0.key < $1.key }.compactMap { tree.text($0.value) }
  }

  private func parts(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}
