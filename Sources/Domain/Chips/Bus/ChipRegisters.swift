/// Access to the registers of one chip on a bus.
struct ChipRegisters {
  let bus: any I2CBus
  let address: I2CAddress

  /// Reads `count` bytes from a register onwards.
  func read(_ register: UInt8, _ count: Int) throws(ChipError) -> [UInt8] {
    do throws(I2CError) {
      let bytes = try bus.transfer(to: address, write: [register], readCount: count)
      guard bytes.count == count else {
        throw I2CError.shortRead(address, expected: count, got: bytes.count)
      }
      return bytes
    } catch {
      throw .bus(error)
    }
  }

  /// Reads `count` records of `length` bytes, oldest first, from registers that supply the next record after
  /// each. Uses as few transactions as the adapter allows, each with whole records and at most `burst` of
  /// them.
  func read(
    _ register: UInt8, records count: Int, of length: Int, burst: Int
  ) throws(ChipError) -> [UInt8] {
    let most = max(1, min(burst, bus.longestRead / max(1, length)))
    guard count > most else { return try read(register, length * count) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length * count)
    var left = count
    while left > 0 {
      let records = min(left, most)
      bytes += try read(register, length * records)
      left -= records
    }
    return bytes
  }

  /// Number of records of `length` bytes that may be read in one step: those that take 48 ms of a bus at 100
  /// kHz, to keep the loop responsive. A byte takes nine bits, and a transaction has three additional bytes.
  /// `parts` is the number of transactions per record if more than one, and `burst` the maximum number of
  /// records per transaction.
  func recordsInOneStep(of length: Int, parts: Int = 1, burst: Int) -> Int {
    let most = max(1, min(burst, bus.longestRead / max(1, length)))
    let transaction = Self.overhead * parts + most * length
    guard transaction < Self.bytesInOneStep else {
      return max(1, (Self.bytesInOneStep - Self.overhead * parts) / max(1, length))
    }
    return Self.bytesInOneStep / transaction * most
  }

  /// Limit of one step in bytes, at nine bits each and 100 kHz.
  private static let bytesInOneStep = 533
  /// The address, the register, the repeated address.
  private static let overhead = 3

  /// Throws if the adapter cannot read this many bytes in one transaction, before any state depends on it.
  func expectReads(of length: Int) throws(ChipError) {
    guard bus.longestRead < length else { return }
    throw .bus(.unsupported(address, transaction: "write 1, read \(length)"))
  }

  func read(_ register: UInt8) throws(ChipError) -> UInt8 {
    let bytes = try read(register, 1)
    return bytes[0]
  }

  /// Reads two bytes, the more significant first.
  func readBigEndian(_ register: UInt8) throws(ChipError) -> UInt16 {
    let bytes = try read(register, 2)
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }

  /// Reads two bytes, the less significant first.
  func readLittleEndian(_ register: UInt8) throws(ChipError) -> UInt16 {
    let bytes = try read(register, 2)
    return UInt16(bytes[1]) << 8 | UInt16(bytes[0])
  }

  /// Writes bytes from a register onwards.
  func write(_ register: UInt8, _ bytes: UInt8...) throws(ChipError) { try write(register, all: bytes) }

  func write(_ register: UInt8, all bytes: [UInt8]) throws(ChipError) {
    do throws(I2CError) { _ = try bus.transfer(to: address, write: [register] + bytes, readCount: 0) } catch {
      throw .bus(error)
    }
  }

  /// Writes two bytes, the more significant first.
  func writeBigEndian(_ register: UInt8, _ value: UInt16) throws(ChipError) {
    try write(register, UInt8(value >> 8), UInt8(truncatingIfNeeded: value))
  }

  /// Throws unless the register has one of the values.
  func expect(_ register: UInt8, isOneOf values: [UInt8]) throws(ChipError) {
    let got: UInt8 = try read(register)
    guard values.contains(got) else {
      throw .wrongIdentity(
        address, register: register, expected: values.map { UInt16($0) }, got: UInt16(got))
    }
  }

  /// Throws unless the register still has the written value.
  func expect(_ register: UInt8, toHold value: UInt8) throws(ChipError) {
    let got: UInt8 = try read(register)
    guard got == value else {
      throw .settingLost(address, register: register, expected: UInt16(value), got: UInt16(got))
    }
  }

  /// Writes a register and reads it back.
  func set(_ register: UInt8, to value: UInt8) throws(ChipError) {
    try write(register, value)
    try expect(register, toHold: value)
  }

  /// Writes a register of two bytes, the more significant first, and reads it back.
  func setBigEndian(_ register: UInt8, to value: UInt16) throws(ChipError) {
    try writeBigEndian(register, value)
    let got = try readBigEndian(register)
    guard got == value else {
      throw .settingLost(address, register: register, expected: value, got: got)
    }
  }
}
