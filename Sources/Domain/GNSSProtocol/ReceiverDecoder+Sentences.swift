import Quantities

extension ReceiverDecoder {
  mutating func take(_ sentence: SentenceFields, now: Moment, _ emit: (Reception) -> Void) {
    var fields = sentence
    let address = SentenceAddress(&fields)
    guard address.kind != .vendorSentence else {
      takeVendors(sentence, now: now, emit)
      return
    }
    counts.record(address.kind, address.talker)
    guard address.kind != .otherSentence else {
      takeAnswer(sentence, emit)
      return
    }
    let talker = address.talker
    // Other instruments on a shared line repeat positions and times of other devices.
    guard talker != .other else { return }
    switch address.kind {
    case .rmc: take(RMC(&fields, talker: talker), now: now, emit)
    case .gga: take(GGA(&fields, talker: talker), now: now, emit)
    case .gns: take(GNS(&fields, talker: talker), now: now, emit)
    case .gll: take(GLL(&fields, talker: talker), now: now, emit)
    case .vtg: assembler.take(VTG(&fields, talker: talker), now: now, emit)
    case .gsa:
      if reportsSatellites { takeUsed(UsedSatellites(fields, talker: talker), emit) }
      assembler.take(GSA(&fields, talker: talker), now: now, emit)
    case .gst: assembler.take(GST(&fields, talker: talker), now: now, emit)
    case .gbs: assembler.take(GBS(&fields, talker: talker), now: now, emit)
    case .zda: assembler.takeClock(ZDA(&fields, talker: talker), now: now, emit)
    case .gsv:
      if reportsSatellites { takeInView(GSV(fields, talker: talker), emit) }
      if reportsSignalStrength { recordSignals(GSV(fields, talker: talker)) }
      if let count = Self.satellitesInView(&fields) { assembler.recordInView(count, talker: talker) }
    case .vendorSentence, .pubx00, .pqtmepe, .psti030, .pqgsv, .pqgsa, .otherSentence, .navigationSolution,
      .navPOSLLH, .navSTATUS, .navDOP, .navSOL, .navVELNED, .navTIMEUTC, .navSVINFO, .navSAT, .navEOE,
      .otherUBX,
      .casicPV, .casicTIMEUTC, .otherCASIC, .sirfBinary:
      break
    }
  }

  private mutating func takeVendors(_ sentence: SentenceFields, now: Moment, _ emit: (Reception) -> Void) {
    var fields = sentence
    switch VendorSentence(&fields) {
    case .pubx00:
      counts.record(.pubx00)
      take(PUBX00(&fields), now: now, emit)
    case .pqtmepe:
      counts.record(.pqtmepe)
      assembler.take(PQTMEPE(&fields), now: now, emit)
    case .psti030:
      counts.record(.psti030)
      take(PSTI030(&fields), now: now, emit)
    case .pqgsv:
      counts.record(.pqgsv)
      if reportsSatellites { takeInView(GSV(fields, talker: .beidou), emit) }
      if reportsSignalStrength { recordSignals(GSV(fields, talker: .beidou)) }
      if let count = Self.satellitesInView(&fields) { assembler.recordVendorInView(count) }
    case .pqgsa:
      counts.record(.pqgsa)
      if reportsSatellites { takeUsed(UsedSatellites(fields, talker: .beidou, isVendors: true), emit) }
    case nil:
      counts.record(.vendorSentence)
      takeAnswer(sentence, emit)
    }
  }

  /// Reads the number of satellites in view from the first sentence of a GSV group; nil for the others, which repeat it.
  @inline(__always)
  private static func satellitesInView(_ fields: inout SentenceFields) -> Int? {
    fields.skipToFirstOfGroup() ? fields.next().whole : nil
  }

  private func takeAnswer(_ sentence: SentenceFields, _ emit: (Reception) -> Void) {
    if let answer = ReceiverAnswer(sentence: sentence.remainder) { emit(.answer(answer)) }
  }

  /// Processes a sentence that carries a time.
  @inline(__always)
  private mutating func take<Message: EpochSentence>(
    _ message: Message, now: Moment, _ emit: (Reception) -> Void
  ) {
    assembler.take(message, now: now, emit)
    if reportsSatellites { takeTime(assembler.name(of: message.time), emit) }
  }

  private mutating func takeTime(_ time: EpochTime?, _ emit: (Reception) -> Void) {
    let dated = assembler.lastDated
    satelliteAssembler.take(time) { satelliteReport in
      give(satelliteReport, dated?.timestamp(of: satelliteReport), emit)
    }
  }

  private mutating func takeInView(_ message: GSV?, _ emit: (Reception) -> Void) {
    guard let message else { return }
    let dated = assembler.lastDated
    satelliteAssembler.take(message) { satelliteReport in
      give(satelliteReport, dated?.timestamp(of: satelliteReport), emit)
    }
  }

  private mutating func takeUsed(_ message: UsedSatellites, _ emit: (Reception) -> Void) {
    let dated = assembler.lastDated
    satelliteAssembler.take(message) { satelliteReport in
      give(satelliteReport, dated?.timestamp(of: satelliteReport), emit)
    }
  }

  mutating func closeSatelliteReport(_ emit: (Reception) -> Void) {
    guard reportsSatellites else { return }
    let dated = assembler.lastDated
    satelliteAssembler.closeForSilence { satelliteReport in
      give(satelliteReport, dated?.timestamp(of: satelliteReport), emit)
    }
  }
}

/// An epoch that was emitted with its date.
struct DatedEpoch {
  let millisecondOfDay: Int32
  let timestamp: Timestamp

  /// The timestamp of `satelliteReport`, if it belongs to this epoch.
  func timestamp(of satelliteReport: SatelliteReport) -> Timestamp? {
    satelliteReport.millisecondOfDay == millisecondOfDay ? timestamp : nil
  }
}
