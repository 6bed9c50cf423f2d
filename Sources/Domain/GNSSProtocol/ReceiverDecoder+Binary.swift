import Quantities

extension ReceiverDecoder {
  mutating func takeUBX(
    class type: UInt8, id: UInt8, payload: UnsafeRawBufferPointer, now: Moment, _ emit: (Reception) -> Void
  ) {
    guard type == 0x01 else {
      // HNR-PVT (class 28) is counted here, too; it is never a fix.
      counts.record(.otherUBX)
      if type == 0x21, id == 0x11, let stored = NavigationSolution(batch: payload) {
        assembler.takeWhole(stored, emit)
      }
      ReceiverAnswer.each(class: type, id: id, payload: payload) { emit(.answer($0)) }
      return
    }
    switch id {
    case 0x07:
      counts.record(.navigationSolution)
      if let solution = ubx.solution(payload) { assembler.take(solution, now: now, emit) }
    case 0x02:
      counts.record(.navPOSLLH)
      take(NavPOSLLH(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x03:
      counts.record(.navSTATUS)
      ReceiverAnswer.each(class: type, id: id, payload: payload) { emit(.answer($0)) }
      take(NavSTATUS(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x04:
      counts.record(.navDOP)
      guard let message = NavDOP(payload: payload) else { return }
      take(ubx.take(message), now: now, emit)
      if let late = ubx.late(message) { assembler.take(late, now: now, emit) }
    case 0x06:
      counts.record(.navSOL)
      take(NavSOL(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x12:
      counts.record(.navVELNED)
      take(NavVELNED(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x21:
      counts.record(.navTIMEUTC)
      take(NavTIMEUTC(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x26:
      counts.record(.otherUBX)
      if let message = NavTIMELS(payload: payload) { ubx.take(message) }
    case 0x30:
      counts.record(.navSVINFO)
      if let message = NavSVINFO(payload: payload) { take(message, emit) }
    case 0x35:
      counts.record(.navSAT)
      if let message = NavSAT(payload: payload) { take(message, emit) }
    case 0x61:
      counts.record(.navEOE)
      guard let message = NavEOE(payload: payload), let time = ubx.time(of: message.iTOW) else { return }
      assembler.end(of: time, now: now, emit)
    case _: counts.record(.otherUBX)
    }
  }

  mutating func takeCASIC(
    class type: UInt8, id: UInt8, payload: UnsafeRawBufferPointer, now: Moment, _ emit: (Reception) -> Void
  ) {
    let outcome: CASICNavigation.Outcome?
    switch (type, id) {
    case (0x01, 0x03):
      counts.record(.casicPV)
      outcome = CASICNavPV(payload: payload).flatMap { casic.take($0) }
    case (0x01, 0x10):
      counts.record(.casicTIMEUTC)
      outcome = CASICNavTIMEUTC(payload: payload).flatMap { casic.take($0) }
    case _:
      counts.record(.otherCASIC)
      if let answer = ReceiverAnswer(casicClass: type, id: id, payload: payload) { emit(.answer(answer)) }
      outcome = nil
    }
    switch outcome {
    case .solution(let solution): assembler.take(solution, now: now, emit)
    case .accuracy(let accuracy): assembler.take(accuracy, now: now, emit)
    case nil: break
    }
  }

  private mutating func take(_ parts: NavigationParts?, now: Moment, _ emit: (Reception) -> Void) {
    if let parts { assembler.take(parts, now: now, emit) }
  }

  private mutating func take(_ message: NavSAT, _ emit: (Reception) -> Void) {
    assembler.recordBinaryInView(message.numSvs)
    if reportsSignalStrength { recordSignals(message) }
    guard reportsSatellites else { return }
    let (time, timestamp) = instant(of: message.iTOW)
    satelliteAssembler.take(message, time: time, dilutions: ubx.dilutions(of: message.iTOW)) {
      satelliteReport in
      give(satelliteReport, timestamp, emit)
    }
  }

  private mutating func take(_ message: NavSVINFO, _ emit: (Reception) -> Void) {
    var inView = 0
    for index in 0..<message.numCh where message.satellite(index) != nil { inView += 1 }
    assembler.recordBinaryInView(inView)
    if reportsSignalStrength { recordSignals(message) }
    guard reportsSatellites else { return }
    let (time, timestamp) = instant(of: message.iTOW)
    satelliteAssembler.take(message, time: time, dilutions: ubx.dilutions(of: message.iTOW)) {
      satelliteReport in
      give(satelliteReport, timestamp, emit)
    }
  }

  /// The time that identifies the epoch of `iTOW`, and UTC if it is known.
  private func instant(of iTOW: UInt32) -> (EpochTime?, Timestamp?) {
    // A request for satellites must not change a fix.
    let time = ubx.clock.timeNow(of: iTOW)
    return (time, time.flatMap { assembler.timestamp(of: $0) } ?? ubx.clock.timestamp(of: iTOW))
  }
}

/// Emits satellites with their date.
func give(_ satelliteReport: SatelliteReport, _ timestamp: Timestamp?, _ emit: (Reception) -> Void) {
  var satelliteReport = satelliteReport
  satelliteReport.timestamp = timestamp
  emit(.satelliteReport(satelliteReport))
}
