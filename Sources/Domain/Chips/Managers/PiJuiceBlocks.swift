/// The block protocol of the PiJuice: a command, its data, and a checksum, 0xFF XOR all data.
///
/// Nothing is written to a chip that does not identify itself as a PiJuice in the transaction before.
struct PiJuiceBlocks {
  private static let version: UInt8 = 0xFD

  private let registers: ChipRegisters
  var address: I2CAddress { registers.address }

  init(bus: any I2CBus, address: I2CAddress) { registers = ChipRegisters(bus: bus, address: address) }

  /// The version of the firmware: 16 for 1.6.
  func identify() throws(ChipError) -> Int {
    let frame = try registers.read(Self.version, 3)
    // A line that is always high has the sum of two bytes, so the number counts as well.
    guard (0x10..<0x20).contains(frame[0]) else {
      throw .wrongIdentity(address, register: Self.version, expected: [0x15, 0x16], got: UInt16(frame[0]))
    }
    let sum = Self.sum(frame.prefix(2))
    guard frame[2] == sum else {
      throw .wrongIdentity(address, register: Self.version, expected: [UInt16(sum)], got: UInt16(frame[2]))
    }
    return Int(frame[0] >> 4) * 10 + Int(frame[0] & 0x0F)
  }

  /// Reads the data of a command. The top bit of the first byte is sometimes lost on the bus: it is set again if the sum
  /// holds with it.
  func read(_ command: UInt8, _ count: Int) throws(ChipError) -> [UInt8] {
    var data = try registers.read(command, max(1, count) + 1)
    let (got, sum) = (data.removeLast(), Self.sum(data[...]))
    if got != sum {
      guard got == sum ^ 0x80, data[0] & 0x80 == 0 else {
        throw .wrongChecksum(address, register: command, expected: sum, got: got)
      }
      data[0] |= 0x80
    }
    return data
  }

  func read(_ command: UInt8) throws(ChipError) -> UInt8 { try read(command, 1)[0] }

  /// Reads a number of two bytes, the less significant first.
  func readWord(_ command: UInt8) throws(ChipError) -> UInt16 {
    let data = try read(command, 2)
    return UInt16(data[1]) << 8 | UInt16(data[0])
  }

  /// Writes the data of a command.
  func write(_ command: UInt8, _ data: [UInt8]) throws(ChipError) {
    _ = try identify()
    try registers.write(command, all: data + [Self.sum(data[...])])
  }

  /// Writes the data of a command unless it reads like that, and reads it back.
  func set(_ command: UInt8, to data: [UInt8]) throws(ChipError) {
    guard try read(command, data.count) != data else { return }
    try write(command, data)
    try expect(command, toHold: data)
  }

  /// Throws unless the command reads like this.
  func expect(_ command: UInt8, toHold data: [UInt8]) throws(ChipError) {
    for (got, expected) in zip(try read(command, data.count), data) where got != expected {
      throw .settingLost(address, register: command, expected: UInt16(expected), got: UInt16(got))
    }
  }

  private static func sum(_ data: ArraySlice<UInt8>) -> UInt8 { data.reduce(0xFF, ^) }
}
