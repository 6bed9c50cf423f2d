/// Precedence when several messages of an epoch supply the same value: first by talker, then by form. An
/// equal rank overwrites, so a repeated sentence replaces itself.
struct Rank: Comparable {
  /// The form of a message, in ascending precedence.
  enum Form: UInt8 {
    case positionOnly = 1
    case recommendedMinimum = 2
    case fullPosition = 3
  }

  private let rawValue: UInt8

  static let lowest = Rank(rawValue: 0)
  /// The rank of a binary solution, above all sentences.
  static let binary = Rank(rawValue: .max)

  private init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ talker: Talker, _ form: Form) { rawValue = talker.rank << 2 | form.rawValue }

  var talkerRank: UInt8 { rawValue >> 2 }

  static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
}
