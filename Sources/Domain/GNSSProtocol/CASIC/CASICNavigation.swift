import Quantities

/// Combines NAV-PV and NAV-TIMEUTC with the same run time.
///
/// NAV-PV has no UTC. Without NAV-TIMEUTC, its accuracies are added to the epoch of the sentences.
struct CASICNavigation: Sendable {
  private var position: CASICNavPV?
  private var time: CASICNavTIMEUTC?
  private var lacksTime = false

  /// The result of a message.
  enum Outcome {
    case solution(CASICSolution)
    case accuracy(CASICAccuracy)
  }

  mutating func take(_ message: CASICNavPV) -> Outcome? {
    if position != nil { lacksTime = true }
    position = message
    return joined() ?? (lacksTime ? .accuracy(CASICAccuracy(position: message)) : nil)
  }

  mutating func take(_ message: CASICNavTIMEUTC) -> Outcome? {
    time = message
    lacksTime = false
    return joined()
  }

  private mutating func joined() -> Outcome? {
    guard let position, let time, position.runTime == time.runTime else { return nil }
    self.position = nil
    self.time = nil
    return .solution(CASICSolution(position: position, clock: time))
  }
}

/// NAV-PV with its time.
struct CASICSolution: EpochSentence {
  static let kind = MessageKind.casicPV
  static let supplies = NavigationSolution.supplies
  static var isBinary: Bool { true }

  let position: CASICNavPV
  let clock: CASICNavTIMEUTC

  var time: EpochTime? {
    guard clock.isTimeValid, let utc = clock.utc else { return nil }
    return EpochTime(exact: Int32(truncatingIfNeeded: utc.millisecondOfDay))
  }

  var hasValidPosition: Bool { position.kind != .none }

  func contribute(to epoch: inout Epoch) {
    epoch.becomeBinary()
    let kind = position.kind
    epoch.state(
      FixStatus(validity: kind == .none ? .invalid : .valid, kind: kind == .none ? nil : kind), rank: .binary)
    epoch.fix.timestamp = clock.isTimeValid && clock.isDateValid ? clock.utc : nil
    epoch.fix.satellitesUsed = position.numSV
    epoch.fix.positionDilution = position.pDOP
    guard kind != .none, let coordinates = position.position else { return }
    (epoch.fix.latitude, epoch.fix.longitude) = (coordinates.latitude, coordinates.longitude)
    epoch.fix.horizontalAccuracy = position.hAcc
    epoch.fix.accuracySource = Accuracy.source(position.hAcc)
    if position.isVelocityValid {
      epoch.fix.speed = position.speed
      epoch.fix.course = position.heading
      epoch.fix.speedAccuracy = position.sAcc
      epoch.fix.courseAccuracy = position.cAcc
    }
    // With altitude hold, the altitude belongs to an earlier epoch.
    guard kind != .twoDimensional, let height = position.height else { return }
    epoch.fix.ellipsoidHeight = height
    epoch.fix.altitude = position.separation.map { height - $0 }
    epoch.fix.verticalAccuracy = position.vAcc
    if position.isVelocityValid { epoch.fix.climb = position.climb }
  }
}

/// The accuracies of a NAV-PV without a time.
struct CASICAccuracy: EpochSentence {
  static let kind = MessageKind.casicPV
  static let supplies: Supplies = [.receiverAccuracy]
  static var isTimed: Bool { false }

  let position: CASICNavPV

  var time: EpochTime? { nil }

  func contribute(to epoch: inout Epoch) {
    guard position.kind != .none else { return }
    epoch.estimate(horizontal: position.hAcc, vertical: position.vAcc)
    guard !epoch.isBinary, position.isVelocityValid else { return }
    epoch.fix.speedAccuracy = position.sAcc
    epoch.fix.courseAccuracy = position.cAcc
  }
}
