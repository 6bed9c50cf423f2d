/// The names of a sentence's fields after its address, in order.
struct SentenceLayout: Sendable {
  /// The address without talker ("RMC"), or that of a manufacturer, with its first field if that
  /// distinguishes sentences ("PUBX,00").
  let name: StaticString
  /// Number of fields of the sentences to which the row applies; nil for any number.
  let count: Int?
  let elements: [Element]

  init(_ name: StaticString, count: Int? = nil, _ elements: [Element]) {
    self.name = name
    self.count = count
    self.elements = elements
  }

  /// One or several fields. A literal is a field that is written as a number if it is one.
  struct Element: Sendable, ExpressibleByStringLiteral {
    /// The form of an element.
    enum Form: Sendable {
      case number
      case code
      case codes(Int)
      case groups([Element])
      case freeText
    }

    let key: StaticString
    let form: Form

    init(_ key: StaticString, _ form: Form) {
      self.key = key
      self.form = form
    }

    init(stringLiteral key: StaticString) { self.init(key, .number) }

    /// A field that is text even if it has only digits.
    static func code(_ key: StaticString) -> Element { Element(key, .code) }
    /// An array of this many fields, without empty ones.
    static func codes(_ key: StaticString, _ count: Int) -> Element { Element(key, .codes(count)) }
    /// Groups of fields up to the end, each an object; empty ones are omitted.
    static func groups(_ key: StaticString, _ members: [Element]) -> Element {
      Element(key, .groups(members))
    }
    /// All remaining bytes, commas included.
    static func freeText(_ key: StaticString) -> Element { Element(key, .freeText) }
  }

  /// Appends the object of a sentence (the text between `$` and `*`) without its closing brace.
  static func list(_ body: Slice<UnsafeRawBufferPointer>, into text: inout [UInt8]) {
    var fields = RemainingFields(UnsafeRawBufferPointer(rebasing: body))
    guard let address = fields.next() else { return }
    text.write(#"{"class":"NMEA""#)
    let isVendor = address.first == UInt8(ascii: "P")
    let talker = !isVendor && address.count == 5 ? 2 : 0
    if talker > 0 {
      text.write(key: "talker")
      text.write(string: address.prefix(talker))
    }
    text.write(key: "sentence")
    let named = UnsafeRawBufferPointer(rebasing: body.dropFirst(talker))
    guard let layout = layout(of: named, count: fields.count) else {
      text.write(string: address.dropFirst(talker))
      text.write(key: "fields")
      text.append(UInt8(ascii: "["))
      text.write(array: &fields)
      return
    }
    text.append(UInt8(ascii: "\""))
    text.write(layout.name)
    text.append(UInt8(ascii: "\""))
    fields.skip(layout.extraAddressFields)
    layout.list(&fields, into: &text)
  }

  private func list(_ fields: inout RemainingFields, into text: inout [UInt8]) {
    for element in elements { text.write(element, from: &fields) }
    guard fields.hasValue else { return }
    text.write(key: "rest")
    text.append(UInt8(ascii: "["))
    text.write(array: &fields)
  }

  /// The layout for a sentence. `named` is the text after the talker; `count` is the number of fields after
  /// the address.
  private static func layout(of named: UnsafeRawBufferPointer, count: Int) -> SentenceLayout? {
    known.first { layout in
      layout.isNamed(in: named) && (layout.count ?? count) == count
    }
  }

  private func isNamed(in text: UnsafeRawBufferPointer) -> Bool {
    let length = name.utf8CodeUnitCount
    guard text.count >= length, text.count == length || text[length] == UInt8(ascii: ",") else {
      return false
    }
    return text.starts(with: UnsafeBufferPointer(start: name.utf8Start, count: length))
  }

  private var extraAddressFields: Int {
    UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount).count {
      $0 == UInt8(ascii: ",")
    }
  }
}

/// The comma-separated fields still to read.
struct RemainingFields {
  /// The remaining fields; nil after the last field, and empty if the last field is.
  private(set) var remainder: UnsafeRawBufferPointer?

  init(_ text: UnsafeRawBufferPointer) { remainder = text }

  var count: Int { remainder.map { $0.count { $0 == UInt8(ascii: ",") } + 1 } ?? 0 }
  var hasValue: Bool { remainder?.contains { $0 != UInt8(ascii: ",") } ?? false }

  mutating func next() -> UnsafeRawBufferPointer? {
    guard let text = remainder else { return nil }
    let comma = text.firstIndex(of: UInt8(ascii: ","))
    remainder = comma.map { UnsafeRawBufferPointer(rebasing: text[($0 + 1)...]) }
    return UnsafeRawBufferPointer(rebasing: text[..<(comma ?? text.endIndex)])
  }

  mutating func skip(_ count: Int) { for _ in 0..<count { _ = next() } }

  mutating func takeAll() -> UnsafeRawBufferPointer? {
    defer { remainder = nil }
    return remainder
  }
}
