import Quantities

/// A message that may contribute to an epoch.
protocol EpochSentence {
  static var kind: MessageKind { get }
  /// The values that messages of this kind supply, even if the fields of one of them are empty.
  static var supplies: Supplies { get }
  /// The key of its epoch; nil for a message without a time.
  var time: EpochTime? { get }
  /// True if messages of this kind carry a time. A message whose time field is empty is ignored, because the
  /// receiver's clock is not set.
  static var isTimed: Bool { get }
  /// True for a binary solution, which takes precedence over sentences.
  static var isBinary: Bool { get }
  /// True if the message holds a valid position, which makes an epoch even without a time.
  var hasValidPosition: Bool { get }
  func contribute(to epoch: inout Epoch)
}

extension EpochSentence {
  static var isTimed: Bool { true }
  static var isBinary: Bool { false }
  var hasValidPosition: Bool { false }
}

/// The values of a fix that a kind of message supplies.
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

/// The time of day that identifies an epoch.
struct EpochTime: Equatable {
  /// Time of day in milliseconds, 0...86 400 999.
  let millisecond: Int32
  private let isPrinted: Bool

  /// A time as printed in a sentence; all sentences of an epoch print the same.
  init(printed millisecond: Int32) {
    self.millisecond = millisecond
    isPrinted = true
  }

  /// A time from a binary message, rounded to the millisecond.
  init(exact millisecond: Int32) {
    self.millisecond = millisecond
    isPrinted = false
  }

  /// True if both times identify the same epoch. Sentences print hundredths of a second, NAV-PVT has
  /// nanoseconds, and an iTOW is rounded; so times within 10 ms are equal, unless both are printed.
  @inline(__always)
  func isSameInstant(as other: EpochTime) -> Bool {
    let distance = (millisecond &- other.millisecond).magnitude
    guard distance < 10 || distance &- Self.almostADay < 19 else { return false }
    return distance == 0 || !isPrinted || !other.isPrinted
  }

  /// True if both times are printed and differ by less than `limit` milliseconds.
  @inline(__always)
  func isPrinted(near other: EpochTime, limit: Int32) -> Bool {
    isPrinted && other.isPrinted && abs(offset(from: other)) < limit
  }

  /// Milliseconds from `other` to this time, the shorter way round; negative if this one is earlier.
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
  /// Almost a day in milliseconds: 9 ms less.
  private static let almostADay: UInt32 = 86_399_991
}

/// Latitude and longitude in degrees.
struct Position: Equatable {
  var latitude: Double
  var longitude: Double
}

/// Altitude in metres.
struct Altitude: Equatable {
  var aboveSeaLevel: Double
  var aboveEllipsoid: Double?

  /// Creates an altitude; nil without a value above sea level.
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

/// Speed and course over ground.
struct Velocity: Equatable {
  /// Speed over ground in m/s.
  var speed: Double
  /// Course in degrees, 0..<360.
  var course: Double?

  /// Creates a velocity; nil without a speed.
  init?(knots: Double?, course: Double?) {
    self.init(metresPerSecond: knots.map { $0 * 1852 / 3600 }, course: course)
  }

  init?(metresPerSecond speed: Double?, course: Double?) {
    guard let speed, speed >= 0 else { return nil }
    self.speed = speed
    self.course = course.flatMap(Self.course)
  }

  /// Normalises a course from −360...360 to 0..<360; nil outside.
  static func course(_ degrees: Double) -> Double? {
    guard degrees >= -360, degrees <= 360 else { return nil }
    let turned = degrees < 0 ? degrees + 360 : degrees
    return turned >= 360 ? 0 : turned
  }
}
