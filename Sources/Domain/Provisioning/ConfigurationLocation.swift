/// The place of the configuration: `/etc`, or the log's partition if files in `/etc` do not last.
///
/// With a read-only root, `/etc` is an overlay in memory or cannot be written. Its configuration is then that of the
/// image, and a newer one can only be in `/var/lib`. So the file in `/var/lib` precedes if `/etc` loses files, and is
/// ignored otherwise.
public struct ConfigurationLocation: Equatable, Sendable {
  public static let usual = "/etc/outrider/config.json5"
  public static let lasting = "/var/lib/outrider/config.json5"

  /// The path to write a configuration to.
  public var target: String
  /// The path that precedes, and the path to read if that one does not exist.
  public var search: [String]
  /// The reason why ``target`` is not ``usual``, as text after "because /etc is"; nil if it is.
  public var reason: String?

  public init(_ mounts: MountTable) {
    let etc = mounts.fileSystem(of: Self.usual)
    if let etc, etc.losesFiles {
      (target, search, reason) = (Self.lasting, [Self.lasting, Self.usual], etc.lossReason)
    } else {
      (target, search) = (Self.usual, [Self.usual, Self.lasting])
    }
  }
}
