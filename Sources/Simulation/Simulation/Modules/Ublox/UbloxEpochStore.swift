/// The epochs that a u-blox stores for later retrieval by the host (data batching).
struct UbloxEpochStore: Sendable {
  /// True if the firmware supports it.
  let isThere: Bool
  /// The NAV-PVT payload of each epoch.
  private var epochs: [[UInt8]] = []
  private var dropped = (ever: 0, sinceReport: 0)
  private var number: UInt16 = 0

  init(isThere: Bool) { self.isThere = isThere }

  /// True if its memory has room for this many epochs, by the table of the MAX-M10M Integration Manual.
  static func fits(_ entries: UInt64, hasPVT: Bool, hasOdometer: Bool) -> Bool {
    entries <= (hasPVT ? (hasOdometer ? 261 : 309) : (hasOdometer ? 443 : 600))
  }

  mutating func clear() {
    epochs = []
    dropped = (0, 0)
  }

  /// Stores a NAV-PVT; the oldest epochs are overwritten.
  mutating func keep(_ frame: [UInt8], entries: Int) {
    guard isThere, entries > 0 else { return }
    epochs.append(Array(frame[6..<(6 + 78)]))
    guard epochs.count > entries else { return }
    let surplus = epochs.count - entries
    epochs.removeFirst(surplus)
    dropped = (dropped.ever + surplus, dropped.sinceReport + surplus)
  }

  /// The payload of MON-BATCH.
  mutating func report() -> [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 0]
    for value in [epochs.count, dropped.ever, dropped.sinceReport] {
      bytes.append(little: UInt16(clamping: value))
    }
    bytes.append(little: number)
    dropped.sinceReport = 0
    return bytes
  }

  /// The payloads of LOG-BATCH, oldest first; the epochs are removed.
  mutating func takeAll(hasExtra: Bool) -> [[UInt8]] {
    defer { epochs = [] }
    return epochs.map { epoch in
      var bytes: [UInt8] = [0, hasExtra ? 1 : 0]
      bytes.append(little: number)
      number &+= 1
      bytes += epoch
      if !hasExtra {
        // iTOW, tAcc, numSV, hMSL, vAcc, the velocities, sAcc, headAcc and pDOP.
        for range in [4..<8, 16..<20, 27..<28, 40..<44, 48..<64, 72..<82] {
          bytes.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
        }
      }
      return bytes + [UInt8](repeating: 0, count: 18)
    }
  }
}
