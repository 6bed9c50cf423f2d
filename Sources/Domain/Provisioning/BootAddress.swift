import Quantities
import Settings

/// The line of `outrider.url`: a setup URL, or the address of a configuration.
enum BootAddress: Equatable {
  case setup(SetupURL)
  case download(Endpoint)

  /// Reads the line. Empty lines and comments (`#`) are skipped. The shortcut files of Windows, `[InternetShortcut]` with
  /// `URL=…`, are accepted, too.
  init(_ text: BootText, path: String) throws(BootFault) {
    guard let content = String(validating: text.bytes, as: UTF8.self) else {
      throw .address(path: path, reason: "the text is not UTF-8; save it in this encoding")
    }
    var lines = content.split(whereSeparator: \.isNewline).map(Self.trimmed).filter {
      !$0.isEmpty && !$0.hasPrefix("#")
    }
    if lines.first?.lowercased() == "[internetshortcut]" {
      lines = lines.filter { $0.lowercased().hasPrefix("url=") }.prefix(1).map { String($0.dropFirst(4)) }
    }
    guard let line = lines.first, lines.count == 1 else {
      throw .address(
        path: path,
        reason: lines.isEmpty
          ? "no address; write one line, as in overland://setup?url=…"
          : "\(lines.count) lines; expected one line with a setup URL or an https address")
    }
    if line.lowercased().hasPrefix("overland:") {
      do { self = .setup(try SetupURL(line)) } catch { throw .address(path: path, reason: "\(error)") }
      return
    }
    guard let endpoint = Endpoint(line), endpoint.scheme == "https" else {
      throw .address(
        path: path,
        reason: line.lowercased().hasPrefix("http://")
          ? "the address begins with http; a configuration contains tokens, so give an https address"
          : "expected overland://setup?… or https://HOST/…")
    }
    guard !endpoint.text.contains(EditableSettings.placeholder) else { throw .placeholder(location: path) }
    self = .download(endpoint)
  }

  /// The copy for the boot partition, with the time as a comment. It has no secrets.
  func applied(time: String, target: String) -> [UInt8] {
    let line =
      switch self {
      case .setup(let url): Self.line(url)
      case .download(let endpoint): "\(endpoint)"
      }
    return Array("# Applied by Outrider at \(time), as \(target). This copy has no secrets.\n\(line)\n".utf8)
  }

  private static func line(_ url: SetupURL) -> String {
    var parts: [String] = []
    if let address = url.url { parts.append("url=\(address)") }
    if url.token != nil { parts.append("token=\(EditableSettings.placeholder)") }
    if let name = url.deviceID { parts.append("device_id=\(encoded(name))") }
    if url.sendsUniqueID { parts.append("unique_id=yes") }
    return "overland://setup?" + parts.joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
        return String(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      }
    }.joined()
  }

  private static func trimmed(_ line: Substring) -> String {
    String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
