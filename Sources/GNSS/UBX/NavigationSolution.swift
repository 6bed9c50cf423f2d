import Quantities

/// UBX NAV-PVT (class 01, id 07): the whole solution of one epoch in 92 bytes, 84 in protocol 14.
///
/// The position counts only with gnssFixOK set, fixType 2, 3 or 4 and invalidLlh clear. Dead reckoning alone
/// (1) and time only (5) are no fix.
struct NavigationSolution: EpochSentence {
  static let kind = MessageKind.navigationSolution
  static let supplies: Supplies = [
    .position, .status, .altitude, .velocity, .date, .errorEllipse, .receiverAccuracy,
  ]
  static let shortestPayload = 84

  let time: EpochTime?
  let solution: Solution

  /// Fails when the payload is too short.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count >= Self.shortestPayload else { return nil }
    let fields = LittleEndian(bytes: payload)
    let timestamp = Self.timestamp(fields)
    let hasTime = fields.u1(11) & 0b10 != 0
    let hasDate = fields.u1(11) & 0b01 != 0
    time = hasTime ? timestamp.map { EpochTime(exact: Int32($0.millisecondOfDay)) } : nil
    solution = Solution(fields, timestamp: hasTime && hasDate ? timestamp : nil)
  }

  var vouchesForPosition: Bool { solution.kind != .none }

  /// `nano` is signed: the true time can lie in the second (or the day) before. Without validDate the day is
  /// only a carrier for the time of day.
  private static func timestamp(_ fields: LittleEndian) -> Timestamp? {
    let hour = Int64(fields.u1(8))
    let minute = Int64(fields.u1(9))
    let second = Int64(fields.u1(10))
    guard hour < 24, minute < 60, second <= 60 else { return nil }
    let date = CalendarDate(
      year: Int(fields.u2(4)), month: Int(fields.u1(6)), day: Int(fields.u1(7)))
    guard let date = date ?? CalendarDate(year: 1980, month: 1, day: 6) else { return nil }
    let nanoseconds = Int64(fields.i4(16))
    guard nanoseconds.magnitude <= 1_000_000_000 else { return nil }
    let milliseconds = (nanoseconds + (nanoseconds < 0 ? -500_000 : 500_000)) / 1_000_000
    return Timestamp(date, millisecondOfDay: ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds)
  }

  func contribute(to epoch: inout Epoch) { epoch.solution = solution }
}

/// What NAV-PVT says apart from the key of its epoch, in SI units.
struct Solution: Equatable {
  var timestamp: Timestamp?
  var kind: FixKind
  var position: Position?
  var altitude: Double?
  var ellipsoidHeight: Double?
  var speed: Double
  var course: Double?
  var climb: Double?
  var horizontalAccuracy: Double?
  var verticalAccuracy: Double?
  var speedAccuracy: Double?
  var courseAccuracy: Double?
  var positionDilution: Double?
  var satellites: UInt8

  init(_ fields: LittleEndian, timestamp: Timestamp?) {
    self.timestamp = timestamp
    kind = Self.kind(fields)
    let latitude = fields.i4(28)
    let longitude = fields.i4(24)
    position = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
      .map { _ in Position(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7) }
    if position == nil { kind = .none }
    let isFlat = fields.u1(20) == 2
    altitude = isFlat ? nil : Double(fields.i4(36)) / 1000
    ellipsoidHeight = isFlat ? nil : Double(fields.i4(32)) / 1000
    speed = Double(fields.i4(60)) / 1000
    course = Velocity.course(Double(fields.i4(64)) / 1e5)
    climb = isFlat ? nil : -Double(fields.i4(56)) / 1000
    horizontalAccuracy = Accuracy.metres(Double(fields.u4(40)) / 1000)
    verticalAccuracy = isFlat ? nil : Accuracy.metres(Double(fields.u4(44)) / 1000)
    speedAccuracy = Accuracy.metres(Double(fields.u4(68)) / 1000)
    let headingAccuracy = Double(fields.u4(72)) / 1e5
    courseAccuracy = headingAccuracy < 180 ? headingAccuracy : nil
    let dilution = fields.u2(76)
    positionDilution = dilution > 0 && dilution < 9900 ? Double(dilution) / 100 : nil
    satellites = fields.u1(23)
  }

  private static func kind(_ fields: LittleEndian) -> FixKind {
    let flags = fields.u1(21)
    let invalidPosition = fields.u1(78) & 1 != 0
    guard flags & 1 != 0, !invalidPosition else { return .none }
    let carrier = flags >> 6
    switch fields.u1(20) {
    case 2, 3, 4:
      if carrier == 2 { return .realTimeKinematicFixed }
      if carrier == 1 { return .realTimeKinematicFloat }
      if flags & 0b10 != 0 { return .differential }
      return fields.u1(20) == 2 ? .twoDimensional : fields.u1(20) == 3 ? .threeDimensional : .deadReckoning
    case _: return .none
    }
  }
}
