/// A systemd unit that a setting names in place of a program: `outrider-NAME.service`.
///
/// Root writes the unit and decides its rights. The polkit rule of the package permits the service to start units of this
/// form, and no others.
public struct HookUnit: Equatable, Sendable {
  /// The part that distinguishes the unit: letters a to z, digits and `-`.
  public let name: String

  private static let prefix = "outrider-"
  private static let suffix = ".service"
  /// Longest name of a unit in bytes (systemd.unit(5)).
  private static let longest = 255

  /// Reads the name of a unit file; nil if it is not of the form `^outrider-[a-z0-9-]+\.service$`.
  public init?(_ text: String) {
    guard text.hasPrefix(Self.prefix), text.hasSuffix(Self.suffix), text.utf8.count <= Self.longest,
      text.utf8.count > Self.prefix.utf8.count + Self.suffix.utf8.count
    else { return nil }
    let name = text.utf8.dropFirst(Self.prefix.utf8.count).dropLast(Self.suffix.utf8.count)
    let isSound = name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isSound else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
  }

  /// The name of the unit file.
  public var file: String { "\(Self.prefix)\(name)\(Self.suffix)" }
}

extension HookUnit {
  /// The form that a message names.
  static let form = "a unit outrider-NAME.service (NAME of a to z, 0 to 9 and -)"
}
