import Quantities

/// The tokens that servers gave to this device in exchange for the token of a card image.
///
/// A device's own token is used as long as address and configured token stay the same. If the server refuses it before it
/// was ever accepted, it is discarded. If the server refuses it later, every fourth attempt uses the configured token, so
/// that an operator of the server can enrol the device again.
public struct DeviceTokens: Equatable, Sendable {
  /// The token of one destination.
  public struct Entry: Codable, Equatable, Sendable {
    var token: String
    /// Digests of the address and of the configured token for which it was given.
    var address: String
    var configured: String
    /// True if the server has accepted it.
    var isProven: Bool
  }

  /// The refusals of an own token after which one attempt uses the configured token.
  static let mostRefusals = 3
  static let longestToken = 200

  /// The stored tokens by destination.
  public private(set) var entries: [String: Entry]
  /// The refusals of the own token in a row, by destination.
  private var refusals: [String: Int] = [:]

  public init(_ entries: [String: Entry] = [:]) { self.entries = entries }

  /// The token for the next attempt: the device's own, or the configured one.
  public func token(for destination: DestinationSettings) -> Secret? {
    guard let entry = entry(for: destination), refusals[destination.name, default: 0] < Self.mostRefusals
    else { return destination.token }
    return Secret(entry.token)
  }

  /// True if the next response may have a token for this device.
  public func isEnrolling(_ destination: DestinationSettings) -> Bool {
    destination.enrols && token(for: destination) == destination.token
  }

  /// Takes a token from the response of a server. Returns false if nothing changes: the destination does not enrol, the
  /// token is the present one, or it is not 1 to 200 printable ASCII characters without blanks.
  public mutating func take(_ token: String, for destination: DestinationSettings) -> Bool {
    let isValid =
      (1...Self.longestToken).contains(token.utf8.count)
      && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard destination.enrols, isValid, entry(for: destination)?.token != token else { return false }
    entries[destination.name] = Entry(
      token: token, address: Self.digest(destination.url.text),
      configured: Self.digest(destination.token?.revealed ?? ""), isProven: false)
    refusals[destination.name] = nil
    return true
  }

  /// Handles the HTTP status of the response to a request with `token`; nil for an attempt without a response. Returns true
  /// if the next attempt uses another token, or if the entries are to be saved.
  public mutating func handle(
    status: Int?, to token: Secret?, of destination: DestinationSettings
  ) -> Bool {
    guard let status, let entry = entry(for: destination) else { return false }
    let name = destination.name
    let isOwn = token?.revealed == entry.token
    switch status {
    case 200...299:
      guard isOwn else { return false }
      refusals[name] = nil
      guard !entry.isProven else { return false }
      entries[name]?.isProven = true
      return true
    case 401, 403:
      guard isOwn else { return refusals.removeValue(forKey: name) != nil }
      guard entry.isProven else {
        entries[name] = nil
        refusals[name] = nil
        return true
      }
      let count = min(refusals[name, default: 0] + 1, Self.mostRefusals)
      refusals[name] = count
      return count == Self.mostRefusals
    default: return false
    }
  }

  private func entry(for destination: DestinationSettings) -> Entry? {
    guard destination.enrols, let entry = entries[destination.name],
      entry.address == Self.digest(destination.url.text),
      entry.configured == Self.digest(destination.token?.revealed ?? "")
    else { return nil }
    return entry
  }

  private static func digest(_ text: String) -> String { String(FNVHash(text).value, radix: 16) }
}
