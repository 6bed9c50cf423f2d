import Quantities

/// Summary of a recording. The sum of the forward steps of the time of day is counted across midnight, so it needs no date.
/// Steps back and those above two hours do not count.
public struct Summary: Sendable {
  // Stored inline: an array would be checked for other owners with every epoch. Both enumerations have at
  // most eight cases.
  package private(set) var kinds = SIMD8<UInt64>()
  package private(set) var sources = SIMD8<UInt64>()
  package private(set) var first: Timestamp?
  package private(set) var last: Timestamp?
  private var lastTime: Int32?
  package private(set) var milliseconds: Int64 = 0

  /// Longest step in milliseconds that is not a pause of the recording.
  static let longestStep: Int32 = 7_200_000
  private static let millisecondsPerDay = Int32(Timestamp.millisecondsPerDay)

  public init() {}

  /// Counts one epoch, with or without a usable position; epochs come in the order of the stream.
  public mutating func add(_ fix: Fix) {
    add(
      fix.kind, accuracySource: fix.accuracySource, timestamp: fix.timestamp,
      millisecondOfDay: fix.millisecondOfDay)
  }

  /// Counts one epoch by the values that are needed, without a copy of the fix.
  @inline(__always)
  mutating func add(
    _ kind: FixKind, accuracySource: AccuracySource, timestamp: Timestamp?, millisecondOfDay: Int32?
  ) {
    if kind != .none {
      DecodeStatistics.countOne(&kinds, at: Int(kind.rawValue))
      DecodeStatistics.countOne(&sources, at: Int(accuracySource.rawValue))
    }
    if let timestamp {
      if first == nil { first = timestamp }
      last = timestamp
    }
    guard let time = millisecondOfDay else { return }
    if let lastTime {
      var step = time &- lastTime
      if step <= Self.longestStep &- Self.millisecondsPerDay { step &+= Self.millisecondsPerDay }
      if step > 0, step <= Self.longestStep { milliseconds &+= Int64(step) }
    }
    lastTime = time
  }

  /// Corrects the first and the last date.
  public mutating func correctDates(_ correction: (Timestamp) -> Timestamp) {
    first = first.map(correction)
    last = last.map(correction)
  }
}
