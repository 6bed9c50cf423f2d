/// Whose word counts when several sentences of an epoch give the same value: first the talker, then the form.
struct Rank: Comparable {
  enum Form: UInt8 {
    case positionOnly = 1
    case recommendedMinimum = 2
    case fullPosition = 3
  }

  private let rawValue: UInt8

  static let lowest = Rank(rawValue: 0)

  private init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ talker: Talker, _ form: Form) { rawValue = talker.rank << 2 | form.rawValue }

  var talkerRank: UInt8 { rawValue >> 2 }

  static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
}

/// A value with the rank of who gave it. An equal rank overwrites: a repeated sentence replaces itself.
struct Ranked<Value: Equatable & Sendable>: Equatable {
  private(set) var value: Value?
  private var rank = Rank.lowest

  mutating func offer(_ value: Value?, rank: Rank) {
    guard let value, rank >= self.rank else { return }
    self.value = value
    self.rank = rank
  }
}
