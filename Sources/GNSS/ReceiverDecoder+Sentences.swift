import Quantities

extension ReceiverDecoder {
  mutating func take(_ sentence: SentenceFields, now: Moment, _ emit: (Reception) -> Void) {
    var fields = sentence
    let address = SentenceAddress(&fields)
    guard address.kind != .vendorSentence else {
      takeVendors(sentence, now: now, emit)
      return
    }
    counts.note(address.kind, address.talker)
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
      if reportsSky { takeUsed(UsedSatellites(fields, talker: talker), emit) }
      assembler.take(GSA(&fields, talker: talker), now: now, emit)
    case .gst: assembler.take(GST(&fields, talker: talker), now: now, emit)
    case .gbs: assembler.take(GBS(&fields, talker: talker), now: now, emit)
    case .zda: assembler.takeClock(ZDA(&fields, talker: talker), now: now, emit)
    case .gsv:
      if reportsSky { takeInView(GSV(fields, talker: talker), emit) }
      if hearsSignals { noteSignals(GSV(fields, talker: talker)) }
      noteInView(&fields) { $0.note($1, talker: talker) }
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
      counts.note(.pubx00)
      take(PUBX00(&fields), now: now, emit)
    case .pqtmepe:
      counts.note(.pqtmepe)
      assembler.take(PQTMEPE(&fields), now: now, emit)
    case .psti030:
      counts.note(.psti030)
      take(PSTI030(&fields), now: now, emit)
    case .pqgsv:
      counts.note(.pqgsv)
      if reportsSky { takeInView(GSV(fields, talker: .beidou), emit) }
      if hearsSignals { noteSignals(GSV(fields, talker: .beidou)) }
      noteInView(&fields) { $0.noteVendors($1) }
    case .pqgsa:
      counts.note(.pqgsa)
      if reportsSky { takeUsed(UsedSatellites(fields, talker: .beidou, isVendors: true), emit) }
    case nil:
      counts.note(.vendorSentence)
      takeAnswer(sentence, emit)
    }
  }

  /// Reads the number of satellites in view from the first sentence of a GSV group; the others repeat it.
  @inline(__always)
  private mutating func noteInView(
    _ fields: inout SentenceFields, _ note: (inout SatelliteCount, Int) -> Void
  ) {
    guard fields.skipToFirstOfGroup(), let inView = fields.next().whole else { return }
    note(&assembler.inView, inView)
  }

  private func takeAnswer(_ sentence: SentenceFields, _ emit: (Reception) -> Void) {
    if let answer = ReceiverAnswer(sentence: sentence.rest) { emit(.answer(answer)) }
  }

  /// Processes a sentence that carries a time.
  @inline(__always)
  private mutating func take<Message: EpochSentence>(
    _ message: Message, now: Moment, _ emit: (Reception) -> Void
  ) {
    assembler.take(message, now: now, emit)
    if reportsSky { takeTime(assembler.name(of: message.time), emit) }
  }

  private mutating func takeTime(_ time: EpochTime?, _ emit: (Reception) -> Void) {
    let dated = assembler.lastDated
    skies.take(time) { sky in give(sky, dated?.timestamp(of: sky), emit) }
  }

  private mutating func takeInView(_ message: GSV?, _ emit: (Reception) -> Void) {
    guard let message else { return }
    let dated = assembler.lastDated
    skies.take(message) { sky in give(sky, dated?.timestamp(of: sky), emit) }
  }

  private mutating func takeUsed(_ message: UsedSatellites, _ emit: (Reception) -> Void) {
    let dated = assembler.lastDated
    skies.take(message) { sky in give(sky, dated?.timestamp(of: sky), emit) }
  }

  mutating func closeSky(_ emit: (Reception) -> Void) {
    guard reportsSky else { return }
    let dated = assembler.lastDated
    skies.closeForSilence { sky in give(sky, dated?.timestamp(of: sky), emit) }
  }
}

/// An epoch that was emitted with its date.
struct DatedEpoch {
  let millisecondOfDay: Int32
  let timestamp: Timestamp

  /// The timestamp of `sky`, if it belongs to this epoch.
  func timestamp(of sky: Sky) -> Timestamp? {
    sky.millisecondOfDay == millisecondOfDay ? timestamp : nil
  }
}
