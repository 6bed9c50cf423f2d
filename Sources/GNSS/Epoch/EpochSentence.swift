import Quantities

/// A message that can say something about an epoch.
protocol EpochSentence {
  static var kind: MessageKind { get }
  /// What messages of this kind supply, whether or not the fields of one of them are filled.
  static var supplies: Supplies { get }
  /// The key of its epoch; nil for a message that carries no time.
  var time: EpochTime? { get }
  /// Messages of this kind carry a time; one without it waits for the receiver's clock and is passed over.
  static var isTimed: Bool { get }
  /// It speaks for the instant and goes before the sentences.
  static var isBinary: Bool { get }
  /// The message holds a position that it vouches for, so that it is worth an epoch even without a time.
  var vouchesForPosition: Bool { get }
  func contribute(to epoch: inout Epoch)
}

extension EpochSentence {
  static var isTimed: Bool { true }
  static var isBinary: Bool { false }
  var vouchesForPosition: Bool { false }
}

/// The parts of a fix that a kind of message supplies.
struct Supplies: OptionSet {
  let rawValue: UInt16

  static let position = Supplies(rawValue: 1 << 0)
  static let status = Supplies(rawValue: 1 << 1)
  static let altitude = Supplies(rawValue: 1 << 2)
  static let velocity = Supplies(rawValue: 1 << 3)
  static let date = Supplies(rawValue: 1 << 4)
  static let horizontalDilution = Supplies(rawValue: 1 << 5)
  static let dimension = Supplies(rawValue: 1 << 6)
  static let errorEllipse = Supplies(rawValue: 1 << 7)
  static let receiverAccuracy = Supplies(rawValue: 1 << 8)
  static let climb = Supplies(rawValue: 1 << 9)
  static let expectedErrors = Supplies(rawValue: 1 << 10)
}

/// The time of day that names an epoch.
struct EpochTime: Equatable {
  /// 0...86 400 999
  let millisecond: Int32
  private let isPrinted: Bool

  /// As a sentence prints it; all sentences of an epoch print the same.
  init(printed millisecond: Int32) {
    self.millisecond = millisecond
    isPrinted = true
  }

  /// From a binary message, rounded to the millisecond.
  init(exact millisecond: Int32) {
    self.millisecond = millisecond
    isPrinted = false
  }

  /// Sentences print hundredths, NAV-PVT has nanoseconds, an iTOW is rounded: but for two sentences, 10 ms are
  /// one instant.
  @inline(__always)
  func isSameInstant(as other: EpochTime) -> Bool {
    let distance = (millisecond &- other.millisecond).magnitude
    guard distance < 10 || distance &- Self.almostADay < 19 else { return false }
    return distance == 0 || !isPrinted || !other.isPrinted
  }

  /// Both times are printed, and they differ by less than `limit` milliseconds.
  @inline(__always)
  func isPrinted(near other: EpochTime, limit: Int32) -> Bool {
    isPrinted && other.isPrinted && abs(offset(from: other)) < limit
  }

  /// Milliseconds from `other` to this time, the shorter way round: negative when this one is earlier.
  @inline(__always)
  func offset(from other: EpochTime) -> Int32 {
    millisecond - other.millisecond + Int32(midnights(from: other)) * Self.millisecondsPerDay
  }

  /// Midnights on the shorter way from `other` to this time: 1, 0 or −1.
  @inline(__always)
  func midnights(from other: EpochTime) -> Int {
    let step = millisecond - other.millisecond
    if step < -Self.millisecondsPerDay / 2 { return 1 }
    return step > Self.millisecondsPerDay / 2 ? -1 : 0
  }

  private static let millisecondsPerDay: Int32 = 86_400_000
  /// 9 ms less than a day.
  private static let almostADay: UInt32 = 86_399_991
}

struct Position: Equatable {
  var latitude: Double
  var longitude: Double
}

/// Metres.
struct Altitude: Equatable {
  var aboveSeaLevel: Double
  var aboveEllipsoid: Double?

  /// Fails without an altitude above sea level.
  init?(aboveSeaLevel: Double?, separation: Double?) {
    guard let aboveSeaLevel else { return nil }
    self.aboveSeaLevel = aboveSeaLevel
    aboveEllipsoid = separation.map { aboveSeaLevel + $0 }
  }

  init(aboveSeaLevel: Double, aboveEllipsoid: Double) {
    self.aboveSeaLevel = aboveSeaLevel
    self.aboveEllipsoid = aboveEllipsoid
  }
}

struct Velocity: Equatable {
  /// m/s
  var speed: Double
  /// Degrees, 0..<360.
  var course: Double?

  /// Fails without a speed.
  init?(knots: Double?, course: Double?) {
    self.init(metresPerSecond: knots.map { $0 * 1852 / 3600 }, course: course)
  }

  init?(metresPerSecond speed: Double?, course: Double?) {
    guard let speed, speed >= 0 else { return nil }
    self.speed = speed
    self.course = course.flatMap(Self.course)
  }

  /// Brings −360...360 to 0..<360; nil outside.
  static func course(_ degrees: Double) -> Double? {
    guard degrees >= -360, degrees <= 360 else { return nil }
    let turned = degrees < 0 ? degrees + 360 : degrees
    return turned >= 360 ? 0 : turned
  }
}
