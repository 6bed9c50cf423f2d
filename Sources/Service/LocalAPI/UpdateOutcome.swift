import JSON

/// The outcome of the trial of a new version, the body of `POST /update`.
public struct UpdateOutcome: Equatable, Sendable {
  /// The version that was on trial.
  public let version: String
  /// The version before it.
  public let previousVersion: String
  /// The reason why the previous version runs again; nil if the new one has proven itself.
  public let reason: String?

  /// The largest length of a version, in bytes.
  private static let longestVersion = 60
  /// The largest length of the reason, in bytes.
  private static let longestReason = 500

  /// Creates an outcome; nil for a version that is none of Debian's (deb-version(7)), and for an empty or too long reason
  /// or one with control characters.
  public init?(version: String, previousVersion: String, reason: String?) {
    let fits = { (text: String, limit: Int) in
      !text.isEmpty && text.utf8.count <= limit
        && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }
    let isVersion = { (text: String) in
      fits(text, Self.longestVersion)
        && text.utf8.allSatisfy { byte in
          byte < 128 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            || ".+~:-".utf8.contains(byte)
        }
    }
    guard isVersion(version), isVersion(previousVersion),
      reason.map({ fits($0, Self.longestReason) }) ?? true
    else { return nil }
    (self.version, self.previousVersion, self.reason) = (version, previousVersion, reason)
  }

  private struct Body: Codable {
    var version: String
    var previous_version: String
    var reason: String?
  }

  /// Reads the JSON of ``json``; nil for anything else.
  public init?(json: [UInt8]) {
    guard let body = try? CheckedJSON(json).decode(Body.self) else { return nil }
    self.init(version: body.version, previousVersion: body.previous_version, reason: body.reason)
  }

  /// `{"version": …, "previous_version": …, "reason": …}`, without the reason if there is none.
  public var json: [UInt8] {
    let body = Body(version: version, previous_version: previousVersion, reason: reason)
    return (try? SortedJSON.encode(body)) ?? []
  }
}
