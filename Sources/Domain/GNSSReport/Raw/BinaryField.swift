import GNSSProtocol

/// A field of a binary message: name, offset and type as in the interface description.
struct BinaryField: Sendable {
  /// The type of a field, named as in the interface descriptions.
  enum Form: Sendable {
    /// U1, U2, U4.
    case unsigned(bytes: Int)
    /// I1, I2, I4.
    case signed(bytes: Int)
    /// X1, X2, X4: bits, written as hexadecimal text.
    case bits(bytes: Int)
    case r4, r8
    /// Text of this many bytes, or up to the first zero.
    case ch(bytes: Int)
    /// U1[n]: this many bytes, written as hexadecimal text.
    case raw(bytes: Int)
  }

  let offset: Int
  let name: StaticString
  let form: Form
  /// Number of decimals. The value is that of the payload divided by 10 to this power.
  let decimals: Int

  init(_ offset: Int, _ name: StaticString, _ form: Form, decimals: Int = 0) {
    self.offset = offset
    self.name = name
    self.form = form
    self.decimals = decimals
  }

  static func u1(_ offset: Int, _ name: StaticString) -> Self { Self(offset, name, .unsigned(bytes: 1)) }
  static func u2(_ offset: Int, _ name: StaticString, decimals: Int = 0) -> Self {
    Self(offset, name, .unsigned(bytes: 2), decimals: decimals)
  }
  static func u4(_ offset: Int, _ name: StaticString, decimals: Int = 0) -> Self {
    Self(offset, name, .unsigned(bytes: 4), decimals: decimals)
  }
  static func i1(_ offset: Int, _ name: StaticString) -> Self { Self(offset, name, .signed(bytes: 1)) }
  static func i2(_ offset: Int, _ name: StaticString, decimals: Int = 0) -> Self {
    Self(offset, name, .signed(bytes: 2), decimals: decimals)
  }
  static func i4(_ offset: Int, _ name: StaticString, decimals: Int = 0) -> Self {
    Self(offset, name, .signed(bytes: 4), decimals: decimals)
  }
  static func x1(_ offset: Int, _ name: StaticString) -> Self { Self(offset, name, .bits(bytes: 1)) }
  static func x2(_ offset: Int, _ name: StaticString) -> Self { Self(offset, name, .bits(bytes: 2)) }
  static func x4(_ offset: Int, _ name: StaticString) -> Self { Self(offset, name, .bits(bytes: 4)) }
  static func r4(_ offset: Int, _ name: StaticString) -> Self { Self(offset, name, .r4) }
  static func r8(_ offset: Int, _ name: StaticString) -> Self { Self(offset, name, .r8) }
  static func ch(_ offset: Int, _ bytes: Int, _ name: StaticString) -> Self {
    Self(offset, name, .ch(bytes: bytes))
  }
  static func raw(_ offset: Int, _ bytes: Int, _ name: StaticString) -> Self {
    Self(offset, name, .raw(bytes: bytes))
  }

  var size: Int {
    switch form {
    case .unsigned(let bytes), .signed(let bytes), .bits(let bytes), .ch(let bytes), .raw(let bytes): bytes
    case .r4: 4
    case .r8: 8
    }
  }
}

extension [UInt8] {
  /// Appends key and value; nothing if the payload ends before the field does.
  mutating func write(_ field: BinaryField, of payload: UnsafeRawBufferPointer) {
    guard field.offset + field.size <= payload.count else { return }
    let fields = LittleEndian(bytes: payload)
    write(key: field.name)
    switch field.form {
    case .unsigned(let bytes):
      let value = fields.unsigned(field.offset, bytes: bytes)
      write(number: Int64(clamping: value), decimals: field.decimals)
    case .signed(let bytes):
      let unused = Int64(64 - bytes * 8)
      let atTop = Int64(bitPattern: fields.unsigned(field.offset, bytes: bytes)) << unused
      write(number: atTop >> unused, decimals: field.decimals)
    case .bits(let bytes): write(bits: fields.unsigned(field.offset, bytes: bytes), bytes: bytes)
    case .r4: write(number: Float(bitPattern: fields.u4(field.offset)))
    case .r8: write(number: Double(bitPattern: fields.unsigned(field.offset, bytes: 8)))
    case .ch(let bytes):
      write(string: payload[field.offset..<field.offset + bytes].prefix { $0 != 0 })
    case .raw(let bytes):
      let raw = UnsafeRawBufferPointer(rebasing: payload[field.offset..<field.offset + bytes])
      write(hexadecimal: raw, limit: bytes)
    }
  }
}

extension LittleEndian {
  /// An unsigned number of one to eight bytes.
  func unsigned(_ offset: Int, bytes count: Int) -> UInt64 {
    bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
