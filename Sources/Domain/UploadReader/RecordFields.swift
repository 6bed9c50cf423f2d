import Quantities

/// The members of one object, and their conversion to columns.
///
/// In a strict record a value that the format does not allow is an error. In a lenient one it becomes unknown,
/// and is kept in `extra` with all that has no column.
struct RecordFields {
  /// The limit of the members of an object that have no column; PostgreSQL sorts those of `extra`.
  static let mostOthers = 1000
  /// The limit of `extra`, and of other texts whose length no column limits, in bytes.
  static let longestExtra = 64 << 10

  private let keys: [StaticString]
  private let table: KeyTable
  private var values: [TextValue]
  private var seen: UInt64 = 0
  private var others: [(key: TextValue, value: TextValue)] = []
  /// True if the object has more members than `others` may have.
  private var hasTooMany = false
  /// The offset of the object.
  private(set) var offset = 0
  private var duplicate: (key: Int, offset: Int)?
  private var kept: [UInt8] = []
  /// The bytes of `extra` of all objects that were read.
  private(set) var extraBytes = 0
  private(set) var source: TextScanner
  /// The number of the record, for errors.
  var record: Int64?
  var isStrict = false
  /// True if a lenient record is read without the values that PostgreSQL cannot store, instead of having a fault.
  var leavesOutUnstorable = false
  /// True if a text can have a number.
  var acceptsNumbersAsText = false

  /// The fields of objects with these keys, at most 64.
  init(_ keys: [StaticString], _ table: KeyTable, _ source: TextScanner) {
    self.keys = keys
    self.table = table
    self.source = source
    values = [TextValue](repeating: TextValue(kind: .null, start: 0, end: 0), count: keys.count)
  }

  // MARK: Reading

  /// Reads the object at the scanner's position; `depth` is the number of arrays and objects around it.
  mutating func read(_ scanner: inout TextScanner, depth: Int) throws(UploadError) {
    seen = 0
    offset = scanner.position
    (duplicate, record, hasTooMany) = (nil, nil, false)
    others.removeAll(keepingCapacity: true)
    kept.removeAll(keepingCapacity: true)
    try scanner.enter(depth: depth + 1)
    var isFirst = true
    while let key = try scanner.nextKey(isFirst: &isFirst) {
      let value = try scanner.value(depth: depth + 1)
      guard let number = number(of: key) else {
        hasTooMany = others.count == Self.mostOthers
        if !hasTooMany { others.append((key, value)) }
        continue
      }
      if seen >> UInt64(number) & 1 == 1 { duplicate = duplicate ?? (number, key.start) }
      seen |= 1 << UInt64(number)
      values[number] = value
    }
  }

  private func number(of key: TextValue) -> Int? {
    guard !key.isPlain else { return table.number(source.slice(key.range)) }
    return UTF8Text.unescaped(source.slice(key.range)).withUnsafeBufferPointer { table.number($0) }
  }

  /// Throws if the object has a fault that no value accounts for.
  mutating func check(_ scanner: inout TextScanner) throws(UploadError) {
    defer { (scanner.nulOffset, scanner.oddNumberOffset) = (nil, nil) }
    guard !hasTooMany else { throw extraFault(.tooManyMembers(limit: Self.mostOthers)) }
    if let duplicate {
      throw .invalid(key: "\(keys[duplicate.key])", .duplicate, offset: duplicate.offset, record: record)
    }
    guard isStrict || !leavesOutUnstorable else {
      if scanner.nulOffset != nil || scanner.oddNumberOffset != nil { removeUnstorable() }
      return
    }
    if let offset = scanner.nulOffset {
      throw .invalid(key: key(around: offset), .hasNUL, offset: offset, record: record)
    }
    if let offset = scanner.oddNumberOffset {
      throw .invalid(key: key(around: offset), .outOfRange, offset: offset, record: record)
    }
  }

  /// Removes the values with a NUL or with a number that is too large.
  private mutating func removeUnstorable() {
    for number in values.indices where seen >> UInt64(number) & 1 == 1 && !isStorable(values[number]) {
      seen &= ~(1 << UInt64(number))
    }
    others = others.filter { isStorable($0.key) && isStorable($0.value) }
  }

  private func isStorable(_ value: TextValue) -> Bool {
    var scanner = TextScanner(source, at: value.start)
    do throws(UploadError) { _ = try scanner.value(depth: 0) } catch { return false }
    return scanner.nulOffset == nil && scanner.oddNumberOffset == nil
  }

  private func key(around offset: Int) -> String {
    for (number, value) in values.enumerated()
    where seen >> UInt64(number) & 1 == 1 && value.start <= offset && offset < value.end {
      return "\(keys[number])"
    }
    let other = others.first { $0.key.start <= offset && offset < $0.value.end }
    return other.map { source.text($0.key).filter { $0 != "\0" } } ?? "value"
  }

  // MARK: Values

  /// The value of a key; nil if it is absent or null.
  func value(_ key: Int) -> TextValue? {
    guard seen >> UInt64(key) & 1 == 1, values[key].kind != .null else { return nil }
    return values[key]
  }

  func fault(_ key: Int, _ fault: UploadError.Fault) -> UploadError {
    let isSeen = seen >> UInt64(key) & 1 == 1
    return .invalid(
      key: "\(keys[key])", fault, offset: isSeen ? values[key].start : offset, record: record)
  }

  private func extraFault(_ fault: UploadError.Fault) -> UploadError {
    .invalid(key: "extra", fault, offset: offset, record: record)
  }

  /// Throws in a strict record; otherwise keeps the value in `extra`.
  mutating func reject(_ key: Int, _ fault: UploadError.Fault) throws(UploadError) {
    guard !isStrict else { throw self.fault(key, fault) }
    keep(key)
  }

  /// A number in units of 10^-`places`.
  ///
  /// In a lenient record -1 is unknown, unless the range contains it.
  mutating func integer(_ key: Int, places: Int = 0, in range: ClosedRange<Int64>) throws(UploadError)
    -> Int64?
  {
    guard let value = value(key) else { return nil }
    guard let digits = numberRange(of: value) else {
      try reject(key, .wrongType(expected: "a number"))
      return nil
    }
    guard !digits.isEmpty else { return nil }
    let number = DecimalNumber(source.slice(digits))
    if let scaled = number.scaled(places: places), range.contains(scaled) { return scaled }
    if !isStrict, number.whole == -1 { return nil }
    try reject(key, .outOfRange)
    return nil
  }

  /// The bytes of a number; empty for a text without one. Nil for a value that is no number.
  private func numberRange(of value: TextValue) -> Range<Int>? {
    if value.kind == .number { return value.range }
    guard acceptsNumbersAsText, value.kind == .string, value.isPlain else { return nil }
    return NumberText.range(in: source.slice(value.range)).map {
      $0.lowerBound + value.range.lowerBound..<$0.upperBound + value.range.lowerBound
    }
  }

  /// Thousandths from 0, such as millimetres.
  mutating func thousandths(_ key: Int) throws(UploadError) -> Int32? {
    try integer(key, places: 3, in: 0...Int64(Int32.max)).map { Int32(truncatingIfNeeded: $0) }
  }

  /// A whole number of 64 bits.
  mutating func whole(_ key: Int) throws(UploadError) -> Int64? {
    guard let value = value(key) else { return nil }
    guard value.kind == .number, let number = DecimalNumber(source.slice(value.range)).whole else {
      try reject(key, .wrongType(expected: "a whole number"))
      return nil
    }
    return number
  }

  mutating func flag(_ key: Int) throws(UploadError) -> Bool? {
    guard let value = value(key) else { return nil }
    switch value.kind {
    case .yes: return true
    case .no: return false
    default:
      try reject(key, .wrongType(expected: "true or false"))
      return nil
    }
  }

  /// A text of at most `limit` bytes; nil if it is empty.
  mutating func text(_ key: Int, limit: Int = 200) throws(UploadError) -> String? {
    guard let value = value(key) else { return nil }
    guard value.kind == .string else {
      try reject(key, .wrongType(expected: "a text"))
      return nil
    }
    guard value.range.count <= limit else {
      try reject(key, .tooLong(limit: limit))
      return nil
    }
    return value.range.isEmpty ? nil : source.text(value)
  }

  /// A time within the years 1980 to 2100.
  mutating func time(_ key: Int) throws(UploadError) -> Timestamp? {
    guard let value = value(key) else { return nil }
    guard value.kind == .string, let time = timestamp(value) else {
      try reject(key, .wrongType(expected: "a time in ISO 8601"))
      return nil
    }
    guard TimeText.earliest <= time, time <= TimeText.latest else {
      try reject(key, .outOfRange)
      return nil
    }
    return time
  }

  private func timestamp(_ value: TextValue) -> Timestamp? {
    guard !value.isPlain else { return TimeText.read(source.slice(value.range)) }
    return UTF8Text.unescaped(source.slice(value.range)).withUnsafeBufferPointer { TimeText.read($0) }
  }

  /// The time of the record, which every record must have.
  mutating func requiredTime(_ key: Int) throws(UploadError) -> Timestamp {
    let isStrict = self.isStrict
    self.isStrict = true
    defer { self.isStrict = isStrict }
    guard let time = try time(key) else { throw fault(key, .missing) }
    return time
  }

  /// The index of a word in a vocabulary.
  mutating func word(_ key: Int, of words: [StaticString]) throws(UploadError) -> Int? {
    guard let value = value(key) else { return nil }
    guard value.kind == .string else {
      try reject(key, .wrongType(expected: "a text"))
      return nil
    }
    if let index = index(of: value, in: words) { return index }
    try reject(key, .unknownWord)
    return nil
  }

  /// The set of the words of an array, as bits; a single word instead of the array is accepted in a lenient
  /// record.
  mutating func wordSet(
    _ key: Int, of words: [StaticString]
  ) throws(UploadError) -> Int32? {
    guard let value = value(key) else { return nil }
    guard value.kind == .array || value.kind == .string && !isStrict else {
      try reject(key, .wrongType(expected: "an array of words"))
      return nil
    }
    var bits: Int32 = 0
    var isKnown = true
    var scanner = TextScanner(source, at: value.start)
    if value.kind == .string {
      isKnown = add(value, of: words, to: &bits)
    } else {
      try scanner.enter(depth: 0)
      var isFirst = true
      while try scanner.nextElement(isFirst: &isFirst) {
        let element = try scanner.value(depth: 0)
        if !add(element, of: words, to: &bits) { isKnown = false }
      }
    }
    if !isKnown { try reject(key, .unknownWord) }
    return bits
  }

  /// False if the word is in no vocabulary.
  private func add(_ value: TextValue, of words: [StaticString], to bits: inout Int32) -> Bool {
    if let index = index(of: value, in: words) {
      bits |= 1 << Int32(index)
      return true
    }
    guard !isStrict else { return false }
    for (word, bit) in Vocabulary.motionOfOthers where source.hasText(value, word) {
      bits |= bit
      return true
    }
    return false
  }

  private func index(of value: TextValue, in words: [StaticString]) -> Int? {
    words.firstIndex { source.hasText(value, $0) }
  }

  // MARK: Extra

  /// Keeps a value in `extra` under its key.
  mutating func keep(_ key: Int) {
    guard let value = value(key) else { return }
    beginKept()
    kept.append(UInt8(ascii: "\""))
    keys[key].withUTF8Buffer { kept.append(contentsOf: $0) }
    kept.append(contentsOf: "\":".utf8)
    kept.append(contentsOf: source.slice(value.start..<value.end))
  }

  /// Keeps a member in `extra`; `value` is JSON.
  mutating func keep(_ key: StaticString, _ value: String) {
    beginKept()
    kept.append(UInt8(ascii: "\""))
    key.withUTF8Buffer { kept.append(contentsOf: $0) }
    kept.append(contentsOf: "\":".utf8)
    kept.append(contentsOf: value.utf8)
  }

  private mutating func beginKept() { kept.append(UInt8(ascii: kept.isEmpty ? "{" : ",")) }

  /// The JSON object of all that has no column; nil if there is nothing.
  mutating func extra() throws(UploadError) -> String? {
    let length = others.reduce(kept.count + 1) {
      $0 + ($1.key.end - $1.key.start) + ($1.value.end - $1.value.start) + 2
    }
    guard length <= Self.longestExtra else { throw extraFault(.tooLong(limit: Self.longestExtra)) }
    for other in others {
      beginKept()
      kept.append(contentsOf: source.slice(other.key.start..<other.key.end))
      kept.append(UInt8(ascii: ":"))
      kept.append(contentsOf: source.slice(other.value.start..<other.value.end))
    }
    guard !kept.isEmpty else { return nil }
    kept.append(UInt8(ascii: "}"))
    extraBytes += kept.count
    return String(decoding: kept, as: UTF8.self)
  }
}
