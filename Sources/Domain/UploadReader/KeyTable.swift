/// Finds the number of a key by its bytes.
struct KeyTable: Sendable {
  private struct Slot {
    var start: UInt16 = 0
    var count: UInt8 = 0
    var number: UInt8 = 0
  }

  private let slots: [Slot]
  private let names: [UInt8]

  /// Creates a table of keys that are numbered from 0. They are not empty, and fewer than 128.
  init(_ keys: [StaticString]) {
    var names: [UInt8] = []
    var slots = [Slot](repeating: Slot(), count: 256)
    for (number, key) in keys.enumerated() {
      let bytes = key.withUTF8Buffer { Array($0) }
      var place = bytes.withUnsafeBufferPointer(Self.hash)
      while slots[place].count > 0 { place = (place + 1) & 255 }
      slots[place] = Slot(
        start: UInt16(clamping: names.count), count: UInt8(clamping: bytes.count),
        number: UInt8(clamping: number))
      names += bytes
    }
    self.slots = slots
    self.names = names
  }

  /// The number of a key; nil if it is not in the table.
  func number(_ key: UnsafeBufferPointer<UInt8>) -> Int? {
    var place = Self.hash(key)
    while true {
      let slot = slots[place]
      guard slot.count > 0 else { return nil }
      if Int(slot.count) == key.count, isEqual(slot, key) { return Int(slot.number) }
      place = (place + 1) & 255
    }
  }

  private func isEqual(_ slot: Slot, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = Int(slot.start)
    for index in 0..<key.count where names[start + index] != key[index] { return false }
    return true
  }

  private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> Int {
    guard let first = key.first, let last = key.last else { return 0 }
    let middle = key[key.count / 2]
    return (Int(first) &* 7 &+ Int(last) &* 31 &+ Int(middle) &* 57 &+ key.count &* 101) & 255
  }
}
