import Quantities

/// The accumulated content of the messages of one epoch.
struct Epoch {
  var time: EpochTime?
  /// The fix for output; `kind` and the accuracies are set when the epoch is closed. Until then an infinite accuracy or
  /// dilution is one that the receiver calls unknown.
  var fix = Fix()
  /// The date in days since 1970-01-01.
  private(set) var day: Int?
  private(set) var reportedKind: FixKind?
  private(set) var ellipse: ErrorEllipse?
  /// Expected errors, used if there is no error ellipse.
  private(set) var expected: ErrorEllipse?
  /// The highest mode of the GSA sentences: 1 no fix, 2 two-dimensional, 3 three-dimensional.
  private(set) var dimension: UInt8 = 0
  /// True if a binary solution describes this epoch. It takes precedence over the sentences, of which only
  /// the dilutions are used.
  private(set) var isBinary = false
  /// The values of VTG and GSA since the last sentence with a time, and those of RMC and GGA. They determine
  /// the epoch to which VTG and GSA belong.
  var untimed = UntimedValues()
  var timed = UntimedValues()
  /// True if the message that is being added added or changed a value.
  var hasChanged = false

  /// True until a message was added.
  private var isBlank = true
  private var ranks = Ranks()
  private var isDeclaredValid = false
  private var isDeclaredInvalid = false

  /// The origin of each value.
  private struct Ranks {
    var fixStatus = Rank.lowest
    var kind = Rank.lowest
    var position = Rank.lowest
    var altitude = Rank.lowest
    var velocity = Rank.lowest
    var day = Rank.lowest
    var satellites = Rank.lowest
    var dilution = Rank.lowest
    var ellipse = Rank.lowest
  }

  /// Adds the values of a message. Returns true if that added or changed one.
  @inline(__always)
  mutating func add<Message: EpochSentence>(_ message: Message) -> Bool {
    hasChanged = false
    message.contribute(to: &self)
    isBlank = false
    return hasChanged
  }

  /// Records the status of a sentence. Only the talker of the highest rank decides; one of its sentences
  /// without a valid fix is enough to withdraw the fix.
  @inline(__always)
  mutating func state(_ fixStatus: FixStatus, rank: Rank) {
    if rank.talkerRank > ranks.fixStatus.talkerRank {
      ranks.fixStatus = rank
      isDeclaredValid = false
      isDeclaredInvalid = false
      hasChanged = true
    }
    guard rank.talkerRank == ranks.fixStatus.talkerRank else { return }
    switch fixStatus.validity {
    case .valid: set(&isDeclaredValid, to: true, &hasChanged)
    case .invalid: set(&isDeclaredInvalid, to: true, &hasChanged)
    case .undetermined: break
    }
    guard let kind = fixStatus.kind, rank >= ranks.kind else { return }
    ranks.kind = rank
    set(&reportedKind, to: kind, &hasChanged)
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

  /// Sets the ellipsoidal height, unless an altitude above sea level with its separation is known.
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

  /// Sets the date of a sentence at `dateTime`, which may be beyond midnight from the time of the epoch.
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
    // A dilution that is unknown in one sentence may be known in another.
    guard horizontal.isFinite else {
      if fix.horizontalDilution == nil { set(&fix.horizontalDilution, to: horizontal, &hasChanged) }
      return
    }
    ranks.dilution = rank
    set(&fix.horizontalDilution, to: horizontal, &hasChanged)
  }

  /// True if GSA has supplied everything, so that no further GSA changes the epoch.
  var isDiluted: Bool {
    fix.positionDilution != nil && fix.verticalDilution != nil
      && Accuracy.finite(fix.horizontalDilution) != nil
      && untimed.horizontalDilution != nil
  }

  mutating func dilute(dimension: UInt8) {
    if dimension > self.dimension { set(&self.dimension, to: dimension, &hasChanged) }
  }

  /// Uses the dilutions of the first GSA that has values, and the highest of the dimensions.
  mutating func dilute(position: Double?, horizontal: Double?, vertical: Double?, dimension: UInt8) {
    dilute(dimension: dimension)
    if let position, fix.positionDilution == nil { set(&fix.positionDilution, to: position, &hasChanged) }
    if let vertical, fix.verticalDilution == nil { set(&fix.verticalDilution, to: vertical, &hasChanged) }
    if let horizontal, fix.horizontalDilution ?? .infinity == .infinity {
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

  /// Sets the accuracy from the receiver's own value in a sentence; ignored beside a binary solution.
  mutating func estimate(horizontal: Double?, vertical: Double?) {
    guard !isBinary, let horizontal else { return }
    set(&fix.horizontalAccuracy, to: horizontal, &hasChanged)
    set(&fix.verticalAccuracy, to: vertical, &hasChanged)
    fix.accuracySource = Accuracy.source(horizontal)
  }

  mutating func climb(_ speed: Double?) {
    guard !isBinary, let speed else { return }
    set(&fix.climb, to: speed, &hasChanged)
  }

  /// Gives binary messages precedence: discards the values of sentences, except the dilutions.
  @inline(__always)
  mutating func becomeBinary() {
    guard !isBinary else { return }
    isBinary = true
    hasChanged = true
    if !isBlank { keepOnlyDilutions() }
    ranks = Ranks(
      fixStatus: .lowest, kind: .binary, position: .binary, altitude: .binary, velocity: .binary,
      day: .binary,
      satellites: .binary, dilution: ranks.dilution, ellipse: .binary)
  }

  private mutating func keepOnlyDilutions() {
    let (horizontal, vertical) = (fix.horizontalDilution, fix.verticalDilution)
    fix = Fix()
    fix.horizontalDilution = horizontal
    fix.verticalDilution = vertical
    (day, reportedKind, ellipse, expected) = (nil, nil, nil, nil)
  }

  /// True if a sentence marks the position as valid and none of the same rank marks it as invalid.
  var hasUsablePosition: Bool {
    isDeclaredValid && !isDeclaredInvalid && (isBinary || dimension != 1) && fix.latitude != nil
  }
}

/// Sets a value and records if that changed it.
@inline(__always)
private func set<Value: Equatable>(_ place: inout Value, to value: Value, _ hasChanged: inout Bool) {
  guard place != value else { return }
  place = value
  hasChanged = true
}
