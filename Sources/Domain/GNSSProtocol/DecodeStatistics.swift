import Quantities

/// Counters of a decoder since its creation.
public struct DecodeStatistics: Equatable, Sendable {
  /// Frames with a valid checksum, of all protocols.
  public private(set) var frames: UInt64 = 0
  /// Sentences and binary frames, or similar bytes, with a wrong checksum.
  public var checksumErrors: UInt64 = 0
  /// Lines that began like a sentence but had no checksum; they are rejected.
  public var uncheckedSentences: UInt64 = 0
  /// Bytes outside valid frames, line ends not counted.
  public var discardedBytes: UInt64 = 0
  /// Epochs closed, with or without a usable position.
  public var epochs: UInt64 = 0
  /// Epochs with a usable position.
  public var fixes: UInt64 = 0

  // Stored inline: an array would be checked for other owners with every frame.
  private var byKind = SIMD32<UInt64>()
  private var byTalker = SIMD16<UInt64>()
  var ignoredFrames = IgnoredFrames()

  public init() {}

  /// NMEA sentences with a valid checksum.
  public var nmea: UInt64 { count(in: .nmea) }
  /// UBX frames with a valid checksum.
  public var ubx: UInt64 { count(in: .ubx) }
  /// CASIC frames with a valid checksum.
  public var casic: UInt64 { count(in: .casic) }

  public func count(of kind: MessageKind) -> UInt64 { byKind[Int(kind.rawValue)] }

  /// Sentences of this talker; manufacturers' sentences have none.
  public func count(of talker: Talker) -> UInt64 { byTalker[Int(talker.rawValue)] }

  /// Valid frames and sentences without a checksum that contributed nothing, by reason. Sentences of a second source of
  /// positions are not among them.
  public var ignored: IgnoredInputs {
    var ignored = ignoredFrames.summary
    ignored.add(Int(clamping: uncheckedSentences), .noChecksum)
    return ignored
  }

  private func count(in wireProtocol: WireProtocol) -> UInt64 {
    MessageKind.allCases.reduce(0) { $1.wireProtocol == wireProtocol ? $0 &+ count(of: $1) : $0 }
  }

  /// Counts a binary frame, or a sentence of a manufacturer.
  @inline(__always)
  mutating func record(_ kind: MessageKind) {
    frames &+= 1
    Self.countOne(&byKind, at: Int(kind.rawValue))
  }

  /// Counts a sentence of a talker.
  @inline(__always)
  mutating func record(_ kind: MessageKind, _ talker: Talker) {
    record(kind)
    Self.countOne(&byTalker, at: Int(talker.rawValue))
  }

  /// Increments one element in place; the subscript of a vector would read and write all of them.
  @inline(__always)
  static func countOne<Counts: SIMD<UInt64>>(_ counts: inout Counts, at index: Int) {
    withUnsafeMutableBytes(of: &counts) { bytes in
      bytes.withMemoryRebound(to: UInt64.self) { $0[index] &+= 1 }
    }
  }
}
