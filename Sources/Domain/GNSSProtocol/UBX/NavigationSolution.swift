import Quantities

/// UBX NAV-PVT (class 01, id 07): the complete solution of one epoch in 92 bytes, 84 in protocol 14.
///
/// The position is valid only with gnssFixOK set, fixType 2, 3 or 4 and invalidLlh clear. Dead reckoning
/// alone (1) and time only (5) are no fix. Valid as long as the payload.
///
/// UBX LOG-BATCH (class 21, id 11, 100 bytes) has the same fields four bytes later, without those after pDOP.
/// Without extraPvt in its contentValid it holds only time, position, horizontal accuracy, speed and course.
struct NavigationSolution: EpochSentence {
  static let kind = MessageKind.navigationSolution
  static let supplies: Supplies = [
    .position, .status, .altitude, .velocity, .date, .errorEllipse, .receiverAccuracy,
  ]
  static let shortestPayload = 84
  static let batchPayload = 100

  static var isBinary: Bool { true }

  /// Milliseconds of the GPS week.
  let iTOW: UInt32
  let time: EpochTime?
  /// The NAV-DOP of the same iTOW, if it arrived first.
  var dilutions: NavDOP?
  private let timestamp: Timestamp?
  private let fixKind: FixKind
  private let fields: LittleEndian
  private let extent: Extent

  /// The fields that are present.
  private enum Extent {
    case whole
    /// The fields up to pDOP.
    case batched
    /// The basic set of a batch.
    case basic
  }

  /// Decodes the payload; nil if it is too short. `days` are those of the receiver.
  @inline(__always)
  init?(payload: UnsafeRawBufferPointer, days: inout ReceiverDays) {
    guard payload.count >= Self.shortestPayload else { return nil }
    self.init(fields: LittleEndian(bytes: payload), extent: .whole, days: &days)
  }

  /// Parses a LOG-BATCH; fails for another length or version.
  init?(batch payload: UnsafeRawBufferPointer) {
    guard payload.count == Self.batchPayload, payload[0] == 0 else { return nil }
    var days = ReceiverDays()
    self.init(
      fields: LittleEndian(bytes: UnsafeRawBufferPointer(rebasing: payload[4...])),
      extent: payload[1] & 1 != 0 ? .batched : .basic, days: &days)
  }

  @inline(__always)
  private init(fields: LittleEndian, extent: Extent, days: inout ReceiverDays) {
    self.fields = fields
    self.extent = extent
    iTOW = fields.u4(0)
    fixKind = Self.kind(fields, extent)
    let valid = fields.u1(11)
    guard valid & 0b10 != 0, let millisecond = Self.millisecond(fields) else {
      (time, timestamp) = (nil, nil)
      return
    }
    let ofDay = Timestamp(milliseconds: millisecond).millisecondOfDay
    time = EpochTime(exact: Int32(truncatingIfNeeded: ofDay))
    let day = valid & 0b01 != 0 ? days.day(year: fields.u2(4), month: fields.u1(6), day: fields.u1(7)) : nil
    timestamp = day.map { Timestamp(milliseconds: Int64($0) * Timestamp.millisecondsPerDay + millisecond) }
  }

  var hasValidPosition: Bool { fixKind != .none }

  /// The offset from the start of its day. `nano` is signed: the true time may be in the previous second, or
  /// day.
  @inline(__always)
  private static func millisecond(_ fields: LittleEndian) -> Int64? {
    let hour = Int64(fields.u1(8))
    let minute = Int64(fields.u1(9))
    let second = Int64(fields.u1(10))
    guard hour < 24, minute < 60, second <= 60 else { return nil }
    let nanoseconds = Int64(fields.i4(16))
    guard nanoseconds.magnitude <= 1_000_000_000 else { return nil }
    let milliseconds = (nanoseconds + (nanoseconds < 0 ? -500_000 : 500_000)) / 1_000_000
    return ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds
  }

  @inline(__always)
  private static func kind(_ fields: LittleEndian, _ extent: Extent) -> FixKind {
    let flags = fields.u1(21)
    let invalidPosition = extent == .whole && fields.u1(78) & 1 != 0
    guard flags & 1 != 0, !invalidPosition,
      Coordinate(latitudeE7: fields.i4(28), longitudeE7: fields.i4(24)) != nil
    else { return .none }
    let carrier = extent == .whole ? flags >> 6 : 0
    switch fields.u1(20) {
    case 2, 3, 4:
      if carrier == 2 { return .realTimeKinematicFixed }
      if carrier == 1 { return .realTimeKinematicFloat }
      if flags & 0b10 != 0 { return .differential }
      return fields.u1(20) == 2 ? .twoDimensional : fields.u1(20) == 3 ? .threeDimensional : .deadReckoning
    case _: return .none
    }
  }

  func contribute(to epoch: inout Epoch) {
    epoch.becomeBinary()
    epoch.state(
      FixStatus(validity: fixKind == .none ? .invalid : .valid, kind: fixKind == .none ? nil : fixKind),
      rank: .binary)
    epoch.fix.timestamp = timestamp
    let dilution = fields.u2(76)
    if extent != .basic {
      epoch.fix.satellitesUsed = fields.u1(23)
      epoch.fix.positionDilution = dilution > 0 && dilution < 9900 ? Double(dilution) / 100 : nil
    }
    dilutions?.contribute(to: &epoch.fix)
    guard fixKind != .none else { return }
    epoch.fix.latitude = Double(fields.i4(28)) / 1e7
    epoch.fix.longitude = Double(fields.i4(24)) / 1e7
    let speed = fields.i4(60)
    epoch.fix.speed = speed >= 0 ? Double(speed) / 1000 : nil
    epoch.fix.course = Velocity.course(Double(fields.i4(64)) / 1e5)
    epoch.fix.horizontalAccuracy = Accuracy.horizontal(Double(fields.u4(40)) / 1000)
    epoch.fix.accuracySource = Accuracy.source(epoch.fix.horizontalAccuracy)
    // With altitude hold, the altitude belongs to an earlier epoch.
    let hasHeight = fields.u1(20) != 2
    if hasHeight { epoch.fix.ellipsoidHeight = Double(fields.i4(32)) / 1000 }
    guard extent != .basic else { return }
    epoch.fix.speedAccuracy = Accuracy.metres(Double(fields.u4(68)) / 1000)
    let headingAccuracy = Double(fields.u4(72)) / 1e5
    epoch.fix.courseAccuracy = headingAccuracy < 180 ? headingAccuracy : nil
    guard hasHeight else { return }
    epoch.fix.altitude = Double(fields.i4(36)) / 1000
    epoch.fix.climb = -Double(fields.i4(56)) / 1000
    epoch.fix.verticalAccuracy = Accuracy.metres(Double(fields.u4(44)) / 1000)
  }
}
