import Quantities

/// One attempt to send a batch, with the response and what followed from it.
public struct Exchange: Equatable, Sendable {
  /// What followed from the response. The raw values are those of the local API.
  public enum Consequence: String, Sendable {
    /// The server confirmed the batch.
    case accepted
    /// A success without a confirmation in the body, which the settings accept.
    case unconfirmed
    /// The same batch is sent again later.
    case retried
    /// Half of the batch is sent next, to find the record that the server rejects.
    case halved
  }

  /// The longest ``answer`` in characters.
  public static let longestAnswer = 200
  /// The number of bytes that are read of a response.
  private static let bytesRead = 4 * longestAnswer

  /// The end of the attempt.
  public let moment: Moment
  public let duration: Duration
  /// The number of records in the batch, and their rendered size.
  public let records: Int
  public let bytes: Int
  /// The HTTP status; nil without a response over HTTP.
  public let status: Int?
  /// The first characters of the response on one line; without a response the reason of the failure.
  public private(set) var answer: String
  public let consequence: Consequence

  init(
    endedAt moment: Moment, after duration: Duration, records: Int, bytes: Int, status: Int?, answer: [UInt8],
    verdict: Verdict, isHalved: Bool
  ) {
    (self.moment, self.duration, self.records, self.bytes, self.status) = (
      moment, duration, records, bytes, status
    )
    switch verdict {
    case .accepted: consequence = .accepted
    case .acceptedUnconfirmed: consequence = .unconfirmed
    case .refused: consequence = isHalved ? .halved : .retried
    }
    self.answer = Self.line(String(decoding: answer.prefix(Self.bytesRead), as: UTF8.self))
    if self.answer.isEmpty, case .refused(let refusal) = verdict { self.answer = Self.line(refusal.reason) }
  }

  /// The exchange without a response that repeats one of these secrets.
  public func hiding(_ secrets: [String]) -> Exchange {
    var hidden = self
    if secrets.contains(where: { !$0.isEmpty && answer.contains($0) }) {
      hidden.answer = "(hidden: the response repeats a secret)"
    }
    return hidden
  }

  /// At most ``longestAnswer`` characters on one line, without control characters.
  static func line(_ text: String) -> String {
    var line = ""
    var count = 0
    for character in text {
      guard count < longestAnswer else { break }
      let isPrinted = character.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
          false
        default: true
        }
      }
      // A character may be composed of any number of scalars.
      guard isPrinted, character.utf8.count <= 16 else {
        if line.last != " ", !line.isEmpty {
          line.append(" ")
          count += 1
        }
        continue
      }
      line.append(character)
      count += 1
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}

/// The last exchanges with one server, newest first.
public struct ExchangeHistory: Sendable {
  /// The most exchanges that are kept.
  public static let limit = 20

  public private(set) var exchanges: [Exchange] = []

  public init() {}

  public mutating func add(_ exchange: Exchange) {
    exchanges.insert(exchange, at: 0)
    if exchanges.count > Self.limit { exchanges.removeLast() }
  }
}
