import Quantities

/// UBX NAV-SOL (class 01, id 06), 52 bytes, u-blox 5 to 8: kind of fix, GPS week, satellites used, position and
/// velocity in the earth-centred frame.
struct NavSOL: Equatable {
  /// Milliseconds of the GPS week, rounded; `fTOW` is the remainder in nanoseconds.
  let iTOW: UInt32
  /// GPS week, with rollovers resolved by the receiver; nil without the flag WKNSET.
  let week: Int?
  /// The flag TOWSET.
  let isTimeSet: Bool
  let fix: GPSFix
  let ecef: EarthCentred
  let ecefV: EarthCentred
  /// Accuracy of the position in metres, three-dimensional; infinite without an estimate, nil if
  /// unknown.
  let pAcc: Double?
  /// Accuracy of the speed in m/s; nil if unknown.
  let sAcc: Double?
  let pDOP: Double?
  let numSV: UInt8

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 52 else { return nil }
    let fields = LittleEndian(bytes: payload)
    let flags = fields.u1(11)
    iTOW = fields.u4(0)
    let week = Int(fields.i2(8))
    self.week = flags & 0b100 != 0 && week >= 0 ? week : nil
    isTimeSet = flags & 0b1000 != 0
    fix = GPSFix(gpsFix: fields.u1(10), flags: flags)
    ecef = EarthCentred(centi: fields.i4(12), fields.i4(16), fields.i4(20))
    ecefV = EarthCentred(centi: fields.i4(28), fields.i4(32), fields.i4(36))
    pAcc = Accuracy.horizontal(Double(fields.u4(24)) / 100)
    sAcc = Accuracy.metres(Double(fields.u4(40)) / 100)
    pDOP = NavDOP.dilution(fields.u2(44))
    numSV = fields.u1(47)
  }

  /// UTC with the leap seconds of its date, to the millisecond; nil while the week or the time is not set.
  func utc(leapSeconds: Int?) -> Timestamp? {
    guard let week, isTimeSet, Int64(iTOW) < LeapSeconds.millisecondsPerWeek else { return nil }
    return LeapSeconds.utc(week: week, millisecondOfWeek: Int64(iTOW), leapSeconds: leapSeconds)
  }
}

/// `gpsFix` and its flags, as in NAV-SOL and NAV-STATUS.
struct GPSFix: Equatable {
  /// Kind of fix: 0 none, 1 dead reckoning only, 2 two-dimensional, 3 three-dimensional, 4 GPS and dead reckoning, 5
  /// time only.
  let gpsFix: UInt8
  /// True if the accuracy is within the masks.
  let gpsFixOK: Bool
  let diffSoln: Bool

  init(gpsFix: UInt8, flags: UInt8) {
    self.gpsFix = gpsFix
    gpsFixOK = flags & 1 != 0
    diffSoln = flags & 2 != 0
  }

  /// The kind of fix; `.none` unless the receiver marks a position from satellites as valid.
  var kind: FixKind {
    guard gpsFixOK else { return .none }
    switch gpsFix {
    case 2: return diffSoln ? .differential : .twoDimensional
    case 3: return diffSoln ? .differential : .threeDimensional
    case 4: return diffSoln ? .differential : .deadReckoning
    case _: return .none
    }
  }
}
