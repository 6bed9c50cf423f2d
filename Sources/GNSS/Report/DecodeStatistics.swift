/// What went through a decoder since it was made.
public struct DecodeStatistics: Equatable, Sendable {
  /// NMEA sentences with a right checksum.
  public var nmea: UInt64 = 0
  /// UBX frames with a right checksum.
  public var ubx: UInt64 = 0
  /// Sentences and UBX frames, or what looked like one, whose checksum is wrong.
  public var checksumErrors: UInt64 = 0
  /// Lines that began like a sentence but had no checksum; they are refused.
  public var uncheckedSentences: UInt64 = 0
  /// Bytes that belonged to no valid frame, line ends not counted.
  public var discardedBytes: UInt64 = 0
  /// Epochs closed, with or without a usable position.
  public var epochs: UInt64 = 0
  /// Epochs with a usable position.
  public var fixes: UInt64 = 0

  private var messages = SIMD16<UInt64>()
  private var talkers = SIMD16<UInt64>()

  public init() {}

  public func count(of kind: MessageKind) -> UInt64 { messages[Int(kind.rawValue)] }
  public func count(of talker: Talker) -> UInt64 { talkers[Int(talker.rawValue)] }

  mutating func note(_ address: SentenceAddress) {
    nmea &+= 1
    messages[Int(address.kind.rawValue)] &+= 1
    if address.kind != .vendorSentence { talkers[Int(address.talker.rawValue)] &+= 1 }
  }

  mutating func noteUBX(_ kind: MessageKind) {
    ubx &+= 1
    messages[Int(kind.rawValue)] &+= 1
  }
}
