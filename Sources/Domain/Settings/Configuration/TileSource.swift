/// The source of the map's background.
public enum TileSource: Equatable, Sendable {
  /// The absolute path of an MBTiles file.
  case file(String)
  /// A server from which the browser loads.
  case server(TileTemplate)

  /// The source as written in a file.
  public var text: String {
    switch self {
    case .file(let path): path
    case .server(let template): template.text
    }
  }
}

/// The address of map tiles at a server, with `{z}`, `{x}` and `{y}` for zoom, column and row (counted from the north).
///
/// Its origin becomes part of a header, so nothing but plain host names and addresses is accepted.
public struct TileTemplate: Equatable, Sendable {
  public let text: String
  /// Scheme, host and port, as in `https://tile.example.org`.
  public let origin: String

  /// The longest address, in bytes.
  fileprivate static let longest = 500
  private static let placeholders: Set<Substring> = ["z", "x", "y"]

  /// Nil for another scheme, for a host with other characters than letters, digits, dots and hyphens, for a user name, and
  /// unless each placeholder occurs once, behind the host, and no other one.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.longest, text.utf8.allSatisfy(Self.isPlain),
      let scheme = ["https://", "http://"].first(where: text.lowercased().hasPrefix)
    else { return nil }
    let remainder = text.dropFirst(scheme.count)
    guard let slash = remainder.firstIndex(of: "/"), Self.isAuthority(remainder[..<slash]),
      Self.placeholders(in: remainder[slash...]) == Self.placeholders.sorted()
    else { return nil }
    self.text = text
    origin = scheme + remainder[..<slash].lowercased()
  }

  /// Printable ASCII without what ends a value in a header, a text in JSON or an address.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "#"), UInt8(ascii: "*"), UInt8(ascii: "`"):
      false
    case 0x21...0x7E: true
    default: false
    }
  }

  private static func isAuthority(_ authority: Substring) -> Bool {
    let colon = authority.lastIndex(of: ":")
    let host = authority[..<(colon ?? authority.endIndex)]
    if let colon {
      let port = authority[authority.index(after: colon)...]
      guard !port.isEmpty, port.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(port),
        number > 0
      else { return false }
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
      !label.isEmpty && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
          default: false
          }
        }
    }
  }

  /// The names in braces, sorted; nil for an odd brace.
  private static func placeholders(in path: Substring) -> [Substring]? {
    var names: [Substring] = []
    var rest = path
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else { return nil }
      names.append(rest[rest.index(after: brace)..<end])
      rest = rest[rest.index(after: end)...]
    }
    return names.sorted()
  }
}

extension SettingKind where Value == TileSource {
  static var tileSource: Self {
    SettingKind(
      "the absolute path of a file .mbtiles, or an address https://HOST/… with {z}, {x} and {y} and without {s}",
      text: \.text
    ) { value in
      guard case .text(let text) = value else { return .wrongType }
      if text.hasPrefix("/") {
        return text.isOneLine && text.lowercased().hasSuffix(".mbtiles") ? .value(.file(text)) : .badValue
      }
      if let excess = SettingLimits.hostExcess(in: text) {
        return .badPart(expected: excess.expected, got: excess.got)
      }
      let bytes = text.utf8.count
      guard bytes <= TileTemplate.longest else {
        return .badPart(
          expected: "an address of at most \(TileTemplate.longest) bytes", got: "an address of \(bytes) bytes"
        )
      }
      return TileTemplate(text).map { .value(.server($0)) } ?? .badValue
    }
  }
}
