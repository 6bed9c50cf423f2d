/// A header of an HTTP request that the operator adds.
public struct HeaderSetting: Equatable, Sendable {
  public let name: String
  public let value: Secret

  public init(name: String, value: Secret) {
    self.name = name
    self.value = value
  }
}

extension SettingKind where Value == [HeaderSetting] {
  /// A group of names and values. Values can contain secrets, so no message repeats them.
  static var headers: Self {
    let expected = "a group of header names and texts, as in { \"X-Key\": \"…\" }"
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true,
      text: { headers in "{ \(headers.map { "\($0.name): \($0.value)" }.joined(separator: ", ")) }" },
      written: { headers, reveals in
        let members = headers.map { ($0.name, SettingKind<Secret>.secret.written($0.value, reveals)) }
        return .group(Dictionary(members) { first, _ in first })
      }
    ) { value, path, findings in
      guard case .group(let members) = value else {
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.kind) }
        return nil
      }
      guard !findings.addExcess(of: members.count, over: SettingLimits.members, at: path) else { return nil }
      var headers: [HeaderSetting] = []
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        let memberPath = Shown.path(path, name)
        guard name.isHeaderName else {
          findings.add(.key, memberPath) {
            .badValue($0, expected: "a header name of letters, digits, - and _", got: "another character")
          }
          continue
        }
        guard !framing.contains(name.lowercased()) else {
          findings.add(.key, memberPath) {
            .badValue($0, expected: "a header that does not control the connection or the length", got: name)
          }
          continue
        }
        guard let secret = SettingKind<Secret>.secret.read(value, memberPath, &findings) else { continue }
        headers.append(HeaderSetting(name: name, value: secret))
      }
      return headers.count == members.count ? headers : nil
    }
  }
}

/// The headers that only the HTTP library may set (RFC 9112, section 6). With another length, a body would be
/// truncated.
private let framing: Set<String> = [
  "content-length", "transfer-encoding", "connection", "host", "expect", "trailer",
]

extension String {
  fileprivate var isHeaderName: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

extension SettingKind where Value == String {
  /// The address of a proxy. It can contain a password, so no message repeats it.
  static var proxy: Self {
    SettingKind(
      "an address http://HOST:PORT, https://HOST:PORT or socks5h://HOST:PORT", isShown: false,
      longest: SettingLimits.proxy,
      text: { _ in "(hidden)" }, written: { address, reveals in .text(reveals ? address : "(hidden)") }
    ) { value in
      guard case .text(let text) = value else { return .wrongType }
      let scheme = ["http://", "https://", "socks5://", "socks5h://"].first {
        text.lowercased().hasPrefix($0)
      }
      if let scheme, let excess = SettingLimits.hostExcess(in: "http://" + text.dropFirst(scheme.utf8.count))
      {
        return .badPart(expected: excess.expected, got: excess.got)
      }
      guard let scheme, text.isOneLine, text.utf8.count > scheme.utf8.count, !text.contains(" ") else {
        return .badValue
      }
      return .value(text)
    }
  }
}
