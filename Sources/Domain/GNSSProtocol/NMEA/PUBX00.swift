import Quantities

/// u-blox `$PUBX,00`: position, status, and the errors that NMEA has no field for.
///
/// Source: u-blox 8 Receiver Description, "Lat/Long position data". Its altitude is above the ellipsoid.
struct PUBX00: EpochSentence {
  static let kind = MessageKind.pubx00
  static let supplies: Supplies = [.position, .status, .velocity, .horizontalDilution, .receiverAccuracy]

  let time: EpochTime?
  let fixStatus: FixStatus
  let position: Position?
  /// Height in metres above the ellipsoid; nil for a two-dimensional fix, which repeats an earlier one.
  let altitude: Double?
  /// Horizontal accuracy in metres; infinite without an estimate, nil if unknown.
  let horizontalAccuracy: Double?
  let verticalAccuracy: Double?
  let velocity: Velocity?
  /// Vertical speed in m/s, up positive.
  let climb: Double?
  let horizontalDilution: Double?
  let verticalDilution: Double?
  let satellites: UInt8?

  /// Parses the fields after `PUBX,00`.
  init(_ fields: inout SentenceFields) {
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    position = fields.position()
    let height = fields.next().decimal
    let status = fields.next().bytes
    fixStatus = Self.fixStatus(status: status)
    altitude = status.matches("G3") || status.matches("D3") ? height : nil
    let accuracy = fields.next().decimal.flatMap(Accuracy.horizontal)
    horizontalAccuracy = fixStatus.validity == .valid ? accuracy : nil
    verticalAccuracy = fields.next().decimal.flatMap(Accuracy.metres)
    velocity = Velocity(
      metresPerSecond: fields.next().decimal.map { $0 / 3.6 }, course: fields.next().decimal)
    climb = fields.next().decimal.map { $0 == 0 ? 0 : -$0 }
    fields.skip(1)
    horizontalDilution = fields.next().unboundedDilution
    verticalDilution = fields.next().dilution
    fields.skip(1)
    satellites = fields.next().whole.flatMap(UInt8.init(exactly:))
  }

  var hasValidPosition: Bool { fixStatus.validity == .valid && position != nil }

  func contribute(to epoch: inout Epoch) {
    let rank = Rank(.gps, .positionOnly)
    epoch.state(fixStatus, rank: rank)
    epoch.place(position, rank: rank)
    epoch.move(velocity, rank: rank)
    epoch.use(satellites: satellites, rank: rank)
    epoch.dilute(horizontal: horizontalDilution, rank: rank)
    guard fixStatus.validity == .valid else { return }
    epoch.raise(aboveEllipsoid: altitude)
    epoch.estimate(horizontal: horizontalAccuracy, vertical: verticalAccuracy)
    epoch.climb(climb)
  }

  /// The status; DR is dead reckoning alone, TT time only, NF no fix.
  private static func fixStatus(status: UnsafeRawBufferPointer) -> FixStatus {
    if status.matches("G3") { return FixStatus(validity: .valid, kind: .threeDimensional) }
    if status.matches("G2") { return FixStatus(validity: .valid, kind: .twoDimensional) }
    if status.matches("D3") || status.matches("D2") {
      return FixStatus(validity: .valid, kind: .differential)
    }
    if status.matches("RK") { return FixStatus(validity: .valid, kind: .deadReckoning) }
    return FixStatus(validity: .invalid, kind: nil)
  }
}
