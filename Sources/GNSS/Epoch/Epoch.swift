import Quantities

/// What the messages of one instant have said so far.
struct Epoch {
  var time: EpochTime?
  /// What will be given out; `kind` and the accuracies are settled when the epoch is closed.
  var fix = Fix()
  /// Days since 1970-01-01.
  private(set) var day: Int?
  private(set) var claimedKind: FixKind?
  private(set) var ellipse: ErrorEllipse?
  /// Expected errors, where there is no ellipse.
  private(set) var expected: ErrorEllipse?
  /// The highest of GSA: 1 no fix, 2 two-dimensional, 3 three-dimensional.
  private(set) var dimension: UInt8 = 0
  /// A binary solution speaks for this instant. Of the sentences only the dilutions count beside it.
  private(set) var isBinary = false
  /// What VTG and GSA said since the last sentence with a time, and what RMC and GGA said, to find out to
  /// which epoch the former belong.
  var untimed = UntimedValues()
  var timed = UntimedValues()
  /// A message added or changed a value since this was last set to false.
  var hasChanged = false
  /// No message has said anything.
  var isBlank = true

  private var ranks = Ranks()
  private var isVouchedFor = false
  private var isDenied = false

  /// Who gave the present values.
  private struct Ranks {
    var claim = Rank.lowest
    var kind = Rank.lowest
    var position = Rank.lowest
    var altitude = Rank.lowest
    var velocity = Rank.lowest
    var day = Rank.lowest
    var satellites = Rank.lowest
    var dilution = Rank.lowest
    var ellipse = Rank.lowest
  }

  /// Only the highest talker decides; of its sentences one denial is enough.
  @inline(__always)
  mutating func state(_ claim: Claim, rank: Rank) {
    if rank.talkerRank > ranks.claim.talkerRank {
      ranks.claim = rank
      isVouchedFor = false
      isDenied = false
      hasChanged = true
    }
    guard rank.talkerRank == ranks.claim.talkerRank else { return }
    switch claim.verdict {
    case .vouches: set(&isVouchedFor, to: true, &hasChanged)
    case .denies: set(&isDenied, to: true, &hasChanged)
    case .abstains: break
    }
    guard let kind = claim.kind, rank >= ranks.kind else { return }
    ranks.kind = rank
    set(&claimedKind, to: kind, &hasChanged)
  }

  mutating func place(_ position: Position?, rank: Rank) {
    guard let position, rank >= ranks.position else { return }
    ranks.position = rank
    set(&fix.latitude, to: position.latitude, &hasChanged)
    set(&fix.longitude, to: position.longitude, &hasChanged)
  }

  mutating func raise(to altitude: Altitude?, rank: Rank) {
    guard let altitude, rank >= ranks.altitude else { return }
    ranks.altitude = rank
    set(&fix.altitude, to: altitude.aboveSeaLevel, &hasChanged)
    set(&fix.ellipsoidHeight, to: altitude.aboveEllipsoid, &hasChanged)
  }

  /// Where nobody gave an altitude above sea level with its separation.
  mutating func raise(aboveEllipsoid height: Double?) {
    guard !isBinary, let height, fix.ellipsoidHeight == nil else { return }
    set(&fix.ellipsoidHeight, to: height, &hasChanged)
  }

  mutating func move(_ velocity: Velocity?, rank: Rank) {
    guard let velocity, rank >= ranks.velocity else { return }
    ranks.velocity = rank
    set(&fix.speed, to: velocity.speed, &hasChanged)
    set(&fix.course, to: velocity.course, &hasChanged)
  }

  /// `date` is that of a sentence at `dateTime`, which may lie beyond midnight from the time of the epoch.
  mutating func date(_ date: CalendarDate?, at dateTime: EpochTime?, rank: Rank) {
    guard let date, rank >= ranks.day else { return }
    ranks.day = rank
    var day = date.daysSince1970
    if let time, let dateTime { day += time.midnights(from: dateTime) }
    set(&self.day, to: day, &hasChanged)
  }

  mutating func use(satellites: UInt8?, rank: Rank) {
    guard let satellites, rank >= ranks.satellites else { return }
    ranks.satellites = rank
    set(&fix.satellitesUsed, to: satellites, &hasChanged)
  }

  mutating func dilute(horizontal: Double?, rank: Rank) {
    guard let horizontal, rank >= ranks.dilution else { return }
    ranks.dilution = rank
    set(&fix.horizontalDilution, to: horizontal, &hasChanged)
  }

  /// A GSA has given all it could, and no other will change it.
  var isDiluted: Bool {
    fix.positionDilution != nil && fix.verticalDilution != nil && fix.horizontalDilution != nil
      && untimed.horizontalDilution != nil
  }

  mutating func dilute(dimension: UInt8) {
    if dimension > self.dimension { set(&self.dimension, to: dimension, &hasChanged) }
  }

  /// The first GSA with a value speaks for the epoch; of the dimensions the highest counts.
  mutating func dilute(position: Double?, horizontal: Double?, vertical: Double?, dimension: UInt8) {
    dilute(dimension: dimension)
    if let position, fix.positionDilution == nil { set(&fix.positionDilution, to: position, &hasChanged) }
    if let vertical, fix.verticalDilution == nil { set(&fix.verticalDilution, to: vertical, &hasChanged) }
    if let horizontal, fix.horizontalDilution == nil {
      set(&fix.horizontalDilution, to: horizontal, &hasChanged)
    }
  }

  mutating func bound(by ellipse: ErrorEllipse?, rank: Rank) {
    guard let ellipse, rank >= ranks.ellipse else { return }
    ranks.ellipse = rank
    set(&self.ellipse, to: ellipse, &hasChanged)
  }

  mutating func expect(_ errors: ErrorEllipse?, rank: Rank) {
    guard let errors, ellipse == nil, rank >= ranks.ellipse else { return }
    set(&expected, to: errors, &hasChanged)
  }

  /// The receiver's own figures, in a sentence; beside a binary solution they do not count.
  mutating func estimate(horizontal: Double?, vertical: Double?) {
    guard !isBinary, let horizontal else { return }
    set(&fix.horizontalAccuracy, to: horizontal, &hasChanged)
    set(&fix.verticalAccuracy, to: vertical, &hasChanged)
    fix.accuracySource = .receiver
  }

  mutating func climb(_ speed: Double?) {
    guard !isBinary, let speed else { return }
    set(&fix.climb, to: speed, &hasChanged)
  }

  /// From now on only what is of binary rank counts; what sentences said is dropped, but for the dilutions.
  @inline(__always)
  mutating func becomeBinary() {
    guard !isBinary else { return }
    isBinary = true
    hasChanged = true
    if !isBlank { keepOnlyDilutions() }
    ranks = Ranks(
      claim: .lowest, kind: .binary, position: .binary, altitude: .binary, velocity: .binary, day: .binary,
      satellites: .binary, dilution: ranks.dilution, ellipse: .binary)
  }

  private mutating func keepOnlyDilutions() {
    let (horizontal, vertical) = (fix.horizontalDilution, fix.verticalDilution)
    fix = Fix()
    fix.horizontalDilution = horizontal
    fix.verticalDilution = vertical
    (day, claimedKind, ellipse, expected) = (nil, nil, nil, nil)
  }

  /// Somebody vouches for the position and nobody who counts denies it.
  var hasUsablePosition: Bool {
    isVouchedFor && !isDenied && (isBinary || dimension != 1) && fix.latitude != nil
  }
}

/// Puts a value in its place and remembers whether that changed anything.
@inline(__always)
private func set<Value: Equatable>(_ place: inout Value, to value: Value, _ hasChanged: inout Bool) {
  guard place != value else { return }
  place = value
  hasChanged = true
}
