import Quantities

/// What the messages of one instant have said so far.
struct Epoch: Equatable {
  var time: EpochTime?
  var position = Ranked<Position>()
  var altitude = Ranked<Altitude>()
  var velocity = Ranked<Velocity>()
  var date = Ranked<CalendarDate>()
  var kind = Ranked<FixKind>()
  var satellites = Ranked<UInt8>()
  var horizontalDilution = Ranked<Double>()
  var verticalDilution: Double?
  var positionDilution: Double?
  /// The highest of GSA: 1 no fix, 2 two-dimensional, 3 three-dimensional.
  var dimension: UInt8?
  var ellipse = Ranked<ErrorEllipse>()
  /// NAV-PVT of the same instant, which goes before the sentences.
  var solution: Solution?
  /// What VTG and GSA said since the last sentence with a time, and what RMC and GGA said, to find out to
  /// which epoch the former belong.
  var untimed = UntimedValues()
  var timed = UntimedValues()

  private var talkerRank: UInt8 = 0
  private var isVouchedFor = false
  private var isDenied = false

  /// Only the highest talker decides; of its sentences one denial is enough.
  mutating func state(_ claim: Claim, rank: Rank) {
    if rank.talkerRank > talkerRank {
      talkerRank = rank.talkerRank
      isVouchedFor = false
      isDenied = false
    }
    guard rank.talkerRank == talkerRank else { return }
    switch claim.verdict {
    case .vouches: isVouchedFor = true
    case .denies: isDenied = true
    case .abstains: break
    }
    kind.offer(claim.kind, rank: rank)
  }

  /// Somebody vouches for the position and nobody who counts denies it.
  var hasUsablePosition: Bool {
    if let solution { return solution.kind != .none }
    return isVouchedFor && !isDenied && dimension != 1 && position.value != nil
  }

  /// The same but for what only serves to learn the order.
  func saysTheSame(as other: Epoch) -> Bool {
    var other = other
    other.untimed = untimed
    other.timed = timed
    return self == other
  }
}
