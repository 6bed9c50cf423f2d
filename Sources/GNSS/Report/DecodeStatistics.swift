/// What went through a decoder since it was made.
public struct DecodeStatistics: Equatable, Sendable {
  /// Frames with a right checksum, of any protocol.
  public private(set) var frames: UInt64 = 0
  /// Sentences and binary frames, or what looked like one, whose checksum is wrong.
  public var checksumErrors: UInt64 = 0
  /// Lines that began like a sentence but had no checksum; they are refused.
  public var uncheckedSentences: UInt64 = 0
  /// Bytes that belonged to no valid frame, line ends not counted.
  public var discardedBytes: UInt64 = 0
  /// Epochs closed, with or without a usable position.
  public var epochs: UInt64 = 0
  /// Epochs with a usable position.
  public var fixes: UInt64 = 0

  /// A row for each kind of message, a column for each talker.
  private var counts = [UInt64](repeating: 0, count: MessageKind.allCases.count * columns)

  private static let columns = 16

  public init() {}

  /// NMEA sentences with a right checksum.
  public var nmea: UInt64 { count(in: .nmea) }
  /// UBX frames with a right checksum.
  public var ubx: UInt64 { count(in: .ubx) }
  /// CASIC frames with a right checksum.
  public var casic: UInt64 { count(in: .casic) }

  public func count(of kind: MessageKind) -> UInt64 {
    let row = Int(kind.rawValue) * Self.columns
    return counts[row..<row + Self.columns].reduce(0, &+)
  }

  /// Sentences of this talker; those of manufacturers have none.
  public func count(of talker: Talker) -> UInt64 {
    MessageKind.allCases.reduce(0) { sum, kind in
      guard kind.wireProtocol == .nmea, !kind.isVendors else { return sum }
      return sum &+ counts[Int(kind.rawValue) * Self.columns + Int(talker.rawValue)]
    }
  }

  private func count(in wireProtocol: WireProtocol) -> UInt64 {
    MessageKind.allCases.reduce(0) { $1.wireProtocol == wireProtocol ? $0 &+ count(of: $1) : $0 }
  }

  @inline(__always)
  mutating func note(_ kind: MessageKind, _ talker: Talker = .other) {
    frames &+= 1
    counts[Int(kind.rawValue) &* Self.columns &+ Int(talker.rawValue)] &+= 1
  }
}
