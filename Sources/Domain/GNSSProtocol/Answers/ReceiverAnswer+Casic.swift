extension ReceiverAnswer {
  /// Parses a CASIC frame that answers a command; nil for any other.
  ///
  /// MON-VER (0A 04) holds the software and the hardware version in 32 bytes each.
  public init?(casicClass type: UInt8, id: UInt8, payload: UnsafeRawBufferPointer) {
    switch (type, id) {
    case (0x05, 0x00), (0x05, 0x01):
      guard payload.count >= 2 else { return nil }
      self = .casic(class: payload[0], id: payload[1], accepted: id == 0x01)
    case (0x0A, 0x04):
      guard payload.count >= 32 else { return nil }
      let hardware = payload.count >= 64 ? PrintableText.name(payload[32..<64]) : nil
      self = .version(
        ReceiverIdentity(
          family: .casic, firmware: PrintableText.name(payload[..<32]), hardware: hardware))
    case _: return nil
    }
  }
}
