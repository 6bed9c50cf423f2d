extension ReceiverAnswer {
  /// Parses a UBX message that answers a command or reports the receiver's status; nil for any other.
  ///
  /// MON-HW and MON-RF report two states: this returns the antenna status, or the jamming indicator if the
  /// antenna is not supervised. From NAV-STATUS it returns the times since the start.
  /// ``each(class:id:payload:_:)`` returns all of them.
  public init?(class type: UInt8, id: UInt8, payload: UnsafeRawBufferPointer) {
    var first: ReceiverAnswer?
    Self.each(class: type, id: id, payload: payload) { answer in
      switch first {
      case nil, .antenna(.unknown): first = answer
      case _: break
      }
    }
    guard let first else { return nil }
    self = first
  }

  /// Passes all answers in a UBX message to `take`; none if the payload is too short.
  public static func each(
    class type: UInt8, id: UInt8, payload: UnsafeRawBufferPointer, _ take: (ReceiverAnswer) -> Void
  ) {
    let fields = LittleEndian(bytes: payload)
    switch (type, id) {
    case (0x05, 0x00), (0x05, 0x01):
      guard payload.count >= 2 else { return }
      take(.acknowledge(class: fields.u1(0), id: fields.u1(1), accepted: id == 0x01))
    case (0x0A, 0x04):
      guard let identity = MonVer(payload: payload)?.identity else { return }
      take(.version(identity))
    case (0x01, 0x03):
      guard payload.count >= 16 else { return }
      take(.sinceStart(timeToFirstFix: fields.u4(8), uptime: fields.u4(12)))
      take(.spoofing(SpoofingState(status: fields.u1(7) >> 3)))
    case (0x09, 0x14):
      guard payload.count >= 5 else { return }
      take(.savedState(command: fields.u1(0), response: fields.u1(4)))
    case (0x13, 0x60):
      guard payload.count >= 4 else { return }
      take(.aiding(id: fields.u1(3), accepted: fields.u1(0) == 1))
    case (0x0A, 0x09):
      guard payload.count >= 23 else { return }
      take(.antenna(AntennaState(status: fields.u1(20))))
      take(.jamming(JammingState(status: fields.u1(22) >> 2)))
    case (0x0A, 0x32):
      guard payload.count == 12 else { return }
      take(.batch(stored: Int(fields.u2(4)), dropped: Int(fields.u2(8))))
    case (0x21, 0x11):
      guard payload.count == NavigationSolution.batchPayload else { return }
      take(.storedEpoch)
    case (0x0A, 0x38): radio(fields, count: payload.count, take)
    case _: break
    }
  }

  /// Parses MON-RF: blocks of 24 bytes, one per RF path; the worst of them counts.
  private static func radio(_ fields: LittleEndian, count: Int, _ take: (ReceiverAnswer) -> Void) {
    guard count >= 4 else { return }
    let blocks = min(Int(fields.u1(1)), (count - 4) / 24)
    guard blocks > 0 else { return }
    var antenna: UInt8 = 0
    var jamming: UInt8 = 0
    for block in 0..<blocks {
      let start = 4 + 24 * block
      jamming = max(jamming, fields.u1(start + 1) & 0b11)
      antenna = max(antenna, fields.u1(start + 2))
    }
    take(.antenna(AntennaState(status: antenna)))
    take(.jamming(JammingState(status: jamming)))
  }
}

extension AntennaState {
  /// aStatus of MON-HW, antStatus of MON-RF.
  fileprivate init(status: UInt8) {
    self =
      switch status {
      case 2: .ok
      case 3: .short
      case 4: .open
      case _: .unknown
      }
  }
}

extension JammingState {
  /// jammingState of MON-HW and MON-RF, in the two lowest bits.
  fileprivate init(status: UInt8) {
    self =
      switch status & 0b11 {
      case 1: .ok
      case 2: .warning
      case 3: .critical
      case _: .unknown
      }
  }
}

extension SpoofingState {
  /// spoofDetState of NAV-STATUS, in the two lowest bits; zero before protocol version 18.
  fileprivate init(status: UInt8) {
    self =
      switch status & 0b11 {
      case 1: .ok
      case 2: .indicated
      case 3: .multiple
      case _: .unknown
      }
  }
}
