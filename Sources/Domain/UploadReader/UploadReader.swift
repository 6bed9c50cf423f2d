import FleetRecords
import Quantities

/// Reads the bodies of requests into rows, in one pass and without a decoder.
///
/// | body | is read |
/// | --- | --- |
/// | Overland with `profile: "outrider"`: it has `log`, and every record has its number | strictly |
/// | Overland of other programs, a GeoJSON FeatureCollection | leniently: see below |
/// | a message of OwnTracks | leniently |
///
/// In the strict form an absent or null property is unknown, and every other deviation is an error. In the
/// lenient form `-1` is unknown, as are the horizontal accuracy 100 and the altitude with a negative vertical
/// accuracy; what has no column or does not fit into it is kept in `extra`; only the time of every record and
/// the position of a location are required. A record without number gets the negative hash of its bytes, so
/// that a repetition has the same key.
///
/// In both forms the rows fit into the tables: no NUL, numbers in range, years 1980 to 2100.
public struct UploadReader: Sendable {
  /// The limit of the records of one body.
  public static let rowLimit = 100_000
  /// The limit of what all records of one body have without a column, in bytes: the database takes a second for
  /// it.
  public static let extraLimit = 8 << 20

  /// Hashes bytes: the first eight bytes of XXH3-128, as a big-endian number.
  public typealias Hash = @Sendable (UnsafeRawBufferPointer) -> UInt64

  private let hash: Hash

  public init(hash: @escaping Hash) { self.hash = hash }

  /// Reads a body of Overland or GeoJSON. With `leavesOutFaulty`, elements of a body without `log` that are no records are
  /// counted in ``Upload/dropped``; otherwise each is an error.
  public func read(_ body: [UInt8], leavesOutFaulty: Bool = false) throws(UploadError) -> Upload {
    let result: Result<Upload, UploadError> = body.withUnsafeBufferPointer { bytes in
      var reader = BodyReader(bytes, hash: hash, leavesOutFaulty: leavesOutFaulty)
      do throws(UploadError) { return .success(try reader.read()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Reads a Feature of a body that is not at hand. The number of its record is kept, without the log that it belongs to.
  public func readFeature(_ feature: [UInt8]) throws(UploadError) -> Upload {
    let body = Array(#"{"locations":["#.utf8) + feature + Array("]}".utf8)
    let result: Result<Upload, UploadError> = body.withUnsafeBufferPointer { bytes in
      var reader = BodyReader(bytes, hash: hash)
      do throws(UploadError) { return .success(try reader.read(requiresLog: false)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Reads a message of OwnTracks in HTTP mode. `owner` is the user and device by the request; the topic of the
  /// message precedes it. Returns nil for a message that has no location. Throws for an encrypted one, which cannot be read.
  public func readOwnTracks(_ body: [UInt8], owner: String?) throws(UploadError) -> Upload? {
    let result: Result<Upload?, UploadError> = body.withUnsafeBufferPointer { bytes in
      do throws(UploadError) {
        return .success(try OwnTracksReader.read(bytes, owner: owner, hash: hash))
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// The number of a record without one: negative, by the hash of its bytes.
  static func number(hash: UInt64) -> Int64 { Int64(bitPattern: hash | 1 << 63) }
}

/// The state of reading one body of Overland.
private struct BodyReader {
  private var scanner: TextScanner
  private let hash: UploadReader.Hash
  private var properties: RecordFields
  private var upload = Upload(deviceID: "")
  private var names: DeviceNames
  private var numbers = NumberSpan()
  private var hasList = false
  /// The bytes of the texts and fields of events.
  private var eventBytes = 0
  private let leavesOutFaulty: Bool
  /// The fault of the first element that was left out.
  private var leftOut: UploadError?

  init(
    _ bytes: UnsafeBufferPointer<UInt8>, hash: @escaping UploadReader.Hash, leavesOutFaulty: Bool = false
  ) {
    scanner = TextScanner(bytes)
    self.hash = hash
    self.leavesOutFaulty = leavesOutFaulty
    properties = RecordFields(Property.names, Property.table, scanner)
    properties.leavesOutUnstorable = leavesOutFaulty
    names = DeviceNames()
  }

  mutating func read(requiresLog: Bool = true) throws(UploadError) -> Upload {
    scanner.skipSpace()
    guard scanner.next == UInt8(ascii: "{") else {
      _ = try scanner.value(depth: 0)
      try scanner.expectEnd()
      throw .noList
    }
    try scanner.enter(depth: 1)
    var batch = BatchKeys()
    var isFirst = true
    while let key = try scanner.nextKey(isFirst: &isFirst) {
      let number = key.isPlain ? UploadKey.table.number(scanner.slice(key.range)) : nil
      guard let known = number.flatMap(UploadKey.init) else {
        _ = try scanner.value(depth: 1)
        (scanner.nulOffset, scanner.oddNumberOffset) = (nil, nil)
        continue
      }
      let isNew = batch.note(known)
      guard isNew || known == .report else {
        throw .invalid(key: "\(UploadKey.names[known.rawValue])", .duplicate, offset: key.start, record: nil)
      }
      switch known {
      case .locations, .features: try features(known)
      case .events: try events()
      case .report: try report(isNew: isNew, at: key.start)
      case .log, .from, .through, .first, .deviceID, .uniqueID:
        batch.values[known.rawValue] = try scanner.value(depth: 1)
      }
      (scanner.nulOffset, scanner.oddNumberOffset) = (nil, nil)
    }
    try scanner.expectEnd()
    guard hasList else { throw .noList }
    // A body with record numbers is read strictly.
    if let leftOut, batch.hasLog { throw leftOut }
    try batch.finish(&upload, scanner, numbers, requiresLog: requiresLog)
    names.finish(&upload)
    if let name = batch.text(.deviceID, scanner), upload.deviceID.isEmpty { upload.deviceID = name }
    if let identity = batch.text(.uniqueID, scanner), upload.uniqueID == nil { upload.uniqueID = identity }
    return upload
  }

  /// Reads the report, or notes its fault.
  private mutating func report(isNew: Bool, at offset: Int) throws(UploadError) {
    let report = try ReportReader.read(&scanner)
    upload.report = nil
    switch report {
    case .success(let report) where isNew: upload.report = report
    case .success:
      upload.reportFault = "\(UploadError.invalid(key: "report", .duplicate, offset: offset, record: nil))"
    case .failure(let error): upload.reportFault = "\(error)"
    }
  }

  // MARK: Features

  private mutating func features(_ key: UploadKey) throws(UploadError) {
    let offset = scanner.position
    guard scanner.next == UInt8(ascii: "[") else {
      // If the rest of the body is not JSON, that error is more helpful.
      _ = try scanner.value(depth: 1)
      throw .invalid(
        key: "\(UploadKey.names[key.rawValue])", .wrongType(expected: "an array of Features"), offset: offset,
        record: nil)
    }
    hasList = true
    try scanner.enter(depth: 2)
    var isFirst = true
    while try scanner.nextElement(isFirst: &isFirst) { try element() }
  }

  /// Reads a Feature, or leaves out what is none.
  private mutating func element() throws(UploadError) {
    let start = scanner.position
    properties.isStrict = false
    do throws(UploadError) { try feature() } catch {
      guard leavesOutFaulty, !properties.isStrict, let drop = UploadDrop(error) else { throw error }
      scanner = TextScanner(scanner, at: start)
      // Without the limits of the scanner; what is not JSON fails again.
      try scanner.skipValue()
      (scanner.nulOffset, scanner.oddNumberOffset) = (nil, nil)
      leftOut = leftOut ?? error
      upload.dropped[drop, default: 0] += 1
    }
  }

  private mutating func feature() throws(UploadError) {
    let start = scanner.position
    guard scanner.next == UInt8(ascii: "{") else {
      _ = try scanner.value(depth: 2)
      throw .invalid(key: "locations", .wrongType(expected: "a Feature"), offset: start, record: nil)
    }
    guard upload.rowCount < UploadReader.rowLimit else { throw .tooManyRows(limit: UploadReader.rowLimit) }
    var geometry = FeatureGeometry.none
    var (hasGeometry, hasProperties) = (false, false)
    try scanner.enter(depth: 3)
    var isFirst = true
    while let key = try scanner.nextKey(isFirst: &isFirst) {
      let number = key.isPlain ? FeatureKey.table.number(scanner.slice(key.range)) : nil
      switch number.flatMap(FeatureKey.init) {
      case .geometry:
        guard !hasGeometry else { throw duplicate(key) }
        hasGeometry = true
        geometry = try FeatureGeometry(&scanner, depth: 3)
      case .properties where scanner.next == UInt8(ascii: "{"):
        guard !hasProperties else { throw duplicate(key) }
        hasProperties = true
        try properties.read(&scanner, depth: 3)
      case .properties, nil: _ = try scanner.value(depth: 3)
      }
    }
    guard hasProperties else {
      throw .invalid(key: "properties", .missing, offset: start, record: nil)
    }
    try row(geometry, start..<scanner.position)
  }

  private func duplicate(_ key: TextValue) -> UploadError {
    .invalid(key: scanner.text(key), .duplicate, offset: key.start, record: nil)
  }

  private mutating func row(_ geometry: FeatureGeometry, _ range: Range<Int>) throws(UploadError) {
    let number: Int64
    properties.isStrict = properties.value(Property.record.rawValue) != nil
    if properties.isStrict {
      number = try recordNumber(properties, Property.record.rawValue)
      properties.record = number
      numbers.add(number, at: range.lowerBound)
    } else {
      number = UploadReader.number(hash: hash(UnsafeRawBufferPointer(scanner.slice(range))))
      numbers.addUnnumbered(at: range.lowerBound)
    }
    try properties.check(&scanner)
    names.note(
      properties.value(Property.deviceID.rawValue), properties.value(Property.uniqueID.rawValue), scanner,
      &upload)
    if names.hasOther(properties.value(Property.uniqueID.rawValue), scanner) {
      properties.keep(Property.uniqueID.rawValue)
    }
    switch try FeatureRows.row(&properties, at: geometry, number: number) {
    case .location(let row): upload.locations.append(row)
    case .visit(let row): upload.visits.append(row)
    case .trip(let row): upload.trips.append(row)
    case .action(let row): upload.actions.append(row)
    }
    try checkExtra()
  }

  private func checkExtra() throws(UploadError) {
    guard properties.extraBytes + eventBytes <= UploadReader.extraLimit else {
      throw .tooMuchExtra(limit: UploadReader.extraLimit)
    }
  }

  private func recordNumber(_ fields: RecordFields, _ key: Int) throws(UploadError) -> Int64 {
    var fields = fields
    fields.isStrict = true
    guard let number = try fields.whole(key) else { throw fields.fault(key, .missing) }
    guard number > 0 else { throw fields.fault(key, .outOfRange) }
    return number
  }

  // MARK: Events

  private mutating func events() throws(UploadError) {
    let offset = scanner.position
    guard scanner.next == UInt8(ascii: "[") else {
      let value = try scanner.value(depth: 1)
      guard value.kind != .null else { return }
      throw .invalid(key: "events", .wrongType(expected: "an array of events"), offset: offset, record: nil)
    }
    var fields = RecordFields(EventKey.names, EventKey.table, scanner)
    try scanner.enter(depth: 2)
    var isFirst = true
    while try scanner.nextElement(isFirst: &isFirst) {
      let start = scanner.position
      guard scanner.next == UInt8(ascii: "{") else {
        _ = try scanner.value(depth: 2)
        throw .invalid(key: "events", .wrongType(expected: "an event"), offset: start, record: nil)
      }
      guard upload.rowCount < UploadReader.rowLimit else { throw .tooManyRows(limit: UploadReader.rowLimit) }
      try fields.read(&scanner, depth: 2)
      upload.events.append(try event(&fields))
      try checkExtra()
    }
  }

  /// The longest text of an indexed column, in bytes.
  private static let longestKind = 100

  private mutating func event(_ fields: inout RecordFields) throws(UploadError) -> EventRow {
    let number = try recordNumber(fields, EventKey.record.rawValue)
    (fields.record, fields.isStrict) = (number, true)
    numbers.add(number, at: fields.offset)
    try fields.check(&scanner)
    let id = RowID(time: try fields.requiredTime(EventKey.time.rawValue), record: number)
    guard let kind = try fields.text(EventKey.kind.rawValue, limit: Self.longestKind) else {
      throw fields.fault(EventKey.kind.rawValue, .missing)
    }
    var event = EventRow(id: id, kind: kind)
    event.detail = try fields.text(EventKey.detail.rawValue, limit: RecordFields.longestExtra) ?? ""
    event.value = try fields.whole(EventKey.value.rawValue)
    if let named = fields.value(EventKey.fields.rawValue) {
      guard named.kind == .object else {
        throw fields.fault(EventKey.fields.rawValue, .wrongType(expected: "an object"))
      }
      guard named.range.count <= RecordFields.longestExtra else {
        throw fields.fault(EventKey.fields.rawValue, .tooLong(limit: RecordFields.longestExtra))
      }
      event.fields = String(decoding: scanner.slice(named.range), as: UTF8.self)
      eventBytes += named.range.count
    }
    eventBytes += event.detail.utf8.count
    return event
  }
}

extension UploadDrop {
  /// The reason that a fault of an element stands for; nil for a fault of the whole body.
  fileprivate init?(_ error: UploadError) {
    switch error {
    case .invalid("timestamp", .missing, _, _), .invalid("timestamp", .wrongType, _, _),
      .invalid("timestamp", .outOfRange, _, _), .invalid("properties", .missing, _, _):
      self = .noTime
    case .invalid("geometry", .wrongType, _, _), .invalid("longitude", .outOfRange, _, _),
      .invalid("latitude", .outOfRange, _, _):
      self = .noPosition
    case .invalid("locations", .wrongType, _, _): self = .notAFeature
    case .invalid, .notJSON, .tooDeep: self = .invalid
    case .tooManyRows, .tooMuchExtra, .encrypted, .noList: return nil
    }
  }
}

/// The numbers of the records of a body.
private struct NumberSpan {
  private(set) var lowest: (number: Int64, offset: Int)?
  private(set) var highest: (number: Int64, offset: Int)?
  /// The offset of the first record without a number.
  private(set) var unnumbered: Int?

  mutating func add(_ number: Int64, at offset: Int) {
    if lowest.map({ number < $0.number }) ?? true { lowest = (number, offset) }
    if highest.map({ number > $0.number }) ?? true { highest = (number, offset) }
  }

  mutating func addUnnumbered(at offset: Int) { unnumbered = unnumbered ?? offset }
}

/// The values of the outermost object.
private struct BatchKeys {
  private var seen: UInt32 = 0
  var values = [TextValue?](repeating: nil, count: UploadKey.allCases.count)

  /// Returns false if the key was noted before.
  mutating func note(_ key: UploadKey) -> Bool {
    let bit: UInt32 = 1 << UInt32(key.rawValue)
    defer { seen |= bit }
    return seen & bit == 0
  }

  var hasLog: Bool { values[UploadKey.log.rawValue].map { $0.kind != .null } ?? false }

  func text(_ key: UploadKey, _ scanner: TextScanner) -> String? {
    guard let value = values[key.rawValue], value.kind == .string, !value.range.isEmpty,
      value.range.count <= DeviceNames.longest
    else { return nil }
    let text = scanner.text(value)
    return text.utf8.contains(0) ? nil : text
  }

  /// Checks `log`, `first`, `from` and `through` against the records. A body of records that were dated later has no range.
  func finish(
    _ upload: inout Upload, _ scanner: TextScanner, _ numbers: NumberSpan, requiresLog: Bool
  ) throws(UploadError) {
    guard let log = values[UploadKey.log.rawValue], log.kind != .null else {
      if requiresLog, let numbered = numbers.lowest {
        throw .invalid(key: "log", .missing, offset: numbered.offset, record: numbered.number)
      }
      return
    }
    guard log.kind == .string, let identity = LogID(scanner.text(log)) else {
      throw fault(.log, .wrongType(expected: "a UUID"))
    }
    upload.log = identity
    if let unnumbered = numbers.unnumbered {
      throw .invalid(key: "record", .missing, offset: unnumbered, record: nil)
    }
    upload.first = try number(.first, scanner)
    let (from, through) = (try number(.from, scanner), try number(.through, scanner))
    // Records that were dated later belong to a range that an earlier body has accounted for.
    guard from != nil || through != nil else { return }
    guard let from, let through else {
      throw .invalid(
        key: from == nil ? "from" : "through", .missing, offset: numbers.lowest?.offset ?? 0,
        record: numbers.lowest?.number)
    }
    if let lowest = numbers.lowest, lowest.number < from {
      throw .invalid(key: "record", .notInBatch, offset: lowest.offset, record: lowest.number)
    }
    if let highest = numbers.highest, highest.number > through {
      throw .invalid(key: "record", .notInBatch, offset: highest.offset, record: highest.number)
    }
    // A batch that accounts for nothing ends before it begins.
    guard from <= through else {
      guard through == from - 1 else { throw fault(.through, .outOfRange) }
      return
    }
    upload.range = from...through
  }

  private func number(_ key: UploadKey, _ scanner: TextScanner) throws(UploadError) -> Int64? {
    guard let value = values[key.rawValue], value.kind != .null else { return nil }
    guard value.kind == .number, let number = DecimalNumber(scanner.slice(value.range)).whole else {
      throw fault(key, .wrongType(expected: "a whole number"))
    }
    guard number >= 0, number < .max else { throw fault(key, .outOfRange) }
    return number
  }

  private func fault(_ key: UploadKey, _ fault: UploadError.Fault) -> UploadError {
    .invalid(
      key: "\(UploadKey.names[key.rawValue])", fault, offset: values[key.rawValue]?.start ?? 0, record: nil)
  }
}

/// The names of the device in the records of a body. The last one is the name of the upload; rows with an
/// earlier one keep it in `extra`, and so do rows with another identity than the first one.
private struct DeviceNames {
  /// The longest name or identity in bytes, because the database has an index on it.
  static let longest = 200

  /// The rows of an upload with the same name end before these counts.
  private struct Segment {
    var name: String
    var locations: Int
    var visits: Int
    var trips: Int
    var actions: Int
  }

  private var current: TextValue?
  private var identity: TextValue?
  private var earlier: [Segment] = []

  mutating func note(
    _ name: TextValue?, _ identity: TextValue?, _ scanner: TextScanner, _ upload: inout Upload
  ) {
    if self.identity == nil, let identity, let text = Self.text(identity, scanner) {
      self.identity = identity
      upload.uniqueID = text
    }
    guard let name else { return }
    if let current, current.isPlain == name.isPlain, scanner.isEqual(current.range, name.range) { return }
    guard let text = Self.text(name, scanner) else { return }
    if current != nil {
      earlier.append(
        Segment(
          name: upload.deviceID, locations: upload.locations.count, visits: upload.visits.count,
          trips: upload.trips.count, actions: upload.actions.count))
    }
    current = name
    upload.deviceID = text
  }

  /// True for another identity than that of the upload, which is the first one.
  func hasOther(_ identity: TextValue?, _ scanner: TextScanner) -> Bool {
    guard let identity, let first = self.identity else { return false }
    if first.isPlain == identity.isPlain, scanner.isEqual(first.range, identity.range) { return false }
    return scanner.text(first) != scanner.text(identity)
  }

  private static func text(_ value: TextValue, _ scanner: TextScanner) -> String? {
    guard value.kind == .string, !value.range.isEmpty, value.range.count <= longest else { return nil }
    return scanner.text(value)
  }

  /// Adds the earlier names to the rows that have them.
  func finish(_ upload: inout Upload) {
    var start = Segment(name: "", locations: 0, visits: 0, trips: 0, actions: 0)
    for segment in earlier {
      if segment.name != upload.deviceID {
        for index in start.locations..<segment.locations {
          Self.add(segment.name, &upload.locations[index].extra)
        }
        for index in start.visits..<segment.visits { Self.add(segment.name, &upload.visits[index].extra) }
        for index in start.trips..<segment.trips { Self.add(segment.name, &upload.trips[index].extra) }
        for index in start.actions..<segment.actions { Self.add(segment.name, &upload.actions[index].extra) }
      }
      start = segment
    }
  }

  private static func add(_ name: String, _ extra: inout String?) {
    var text: [UInt8] = []
    text.append(#"{"device_id":"#)
    text.appendJSONString(name)
    if let extra {
      text.append(",")
      text += extra.utf8.dropFirst()
    } else {
      text.append("}")
    }
    extra = String(decoding: text, as: UTF8.self)
  }
}
