import FleetRecords
import Quantities

/// Makes rows from the properties and the geometry of a Feature.
enum FeatureRows {
  /// A row of one of the tables.
  enum Row {
    case location(LocationRow)
    case visit(VisitRow)
    case trip(TripRow)
    case action(ActionRow)
  }

  /// The horizontal accuracy in millimetres that means unknown in the plain format.
  private static let unknownAccuracy: Int32 = 100_000

  /// Makes the row. `fields` knows its record and its strictness; `number` is the key of the row.
  static func row(
    _ fields: inout RecordFields, at geometry: FeatureGeometry, number: Int64
  ) throws(UploadError) -> Row {
    let id = RowID(time: try fields.requiredTime(.timestamp), record: number)
    let place = try geometry.place(fields.source, record: fields.record)
    if let type = fields.value(.type), fields.source.hasText(type, "trip") {
      return .trip(try trip(&fields, id, place))
    }
    guard let action = fields.value(.action), fields.isStrict || action.kind == .string else {
      fields.keep(.action)
      if !fields.isStrict, fields.value(.arrival) != nil { return .visit(try visit(&fields, id, place)) }
      return .location(try location(&fields, id, place, geometry))
    }
    if fields.source.hasText(action, "visit") { return .visit(try visit(&fields, id, place)) }
    return .action(try self.action(&fields, id, place))
  }

  private static func location(
    _ fields: inout RecordFields, _ id: RowID, _ place: PlaceColumns?, _ geometry: FeatureGeometry
  ) throws(UploadError) -> LocationRow {
    guard let place else {
      throw .invalid(
        key: "geometry", .wrongType(expected: "a Point"), offset: fields.offset, record: fields.record)
    }
    var row = LocationRow(id: id, place: place)
    row.altitudeMillimetres = try altitude(&fields, geometry)
    row.speedMillimetresPerSecond = try fields.thousandths(.speed)
    row.courseMillidegrees = try fields.integer(.course, places: 3, in: 0...360_000).map {
      Int32(truncatingIfNeeded: $0)
    }
    row.horizontalAccuracyMillimetres = try horizontalAccuracy(&fields)
    row.verticalAccuracyMillimetres = try fields.thousandths(.verticalAccuracy)
    row.speedAccuracyMillimetresPerSecond = try fields.thousandths(.speedAccuracy)
    row.courseAccuracyMillidegrees = try fields.thousandths(.courseAccuracy)
    row.dilutionTenths = try fields.integer(.dilution, places: 1, in: 0...Int64(UInt16.max)).map {
      UInt16(truncatingIfNeeded: $0)
    }
    row.fix = try fields.word(.fix, of: Vocabulary.fixes).flatMap { FixKind(rawValue: UInt8(clamping: $0)) }
    row.satellites = try fields.integer(.satellites, in: 0...255).map { UInt8(truncatingIfNeeded: $0) }
    row.accuracySource = try fields.word(.accuracySource, of: Vocabulary.accuracySources).flatMap {
      AccuracySource(rawValue: UInt8(clamping: $0))
    }
    row.timeQuality = try fields.word(.timeQuality, of: Vocabulary.clockQualities).flatMap {
      ClockQuality(rawValue: UInt8(clamping: $0))
    }
    row.motion = try fields.wordSet(.motion, of: Vocabulary.motion).map {
      MotionStates(rawValue: UInt8(truncatingIfNeeded: $0))
    }
    row.reasons = try fields.wordSet(.reasons, of: Vocabulary.reasons)
    row.steps = try steps(&fields)
    row.trip = try fields.time(.tripID)
    fields.keepAll([.type, .radius, .mode, .start, .end, .startLocation, .endLocation, .duration, .distance])
    row.device = try device(&fields)
    row.extra = try fields.extra()
    return row
  }

  private static func altitude(
    _ fields: inout RecordFields, _ geometry: FeatureGeometry
  ) throws(UploadError) -> Int32? {
    let range = Int64(Int32.min)...Int64(Int32.max)
    if !fields.isStrict, fields.isNegative(.verticalAccuracy) {
      // The plain format has no sentinel for the altitude: this one says that it is invalid.
      if let altitude = try fields.integer(.altitude, places: 3, in: range), altitude != 0 {
        fields.keep(.altitude)
      }
      return nil
    }
    if fields.value(.altitude) == nil, case .point(_, _, let altitude?) = geometry {
      return DecimalNumber(fields.source.slice(altitude.range)).scaled(places: 3).flatMap {
        Int32(exactly: $0)
      }
    }
    return try fields.integer(.altitude, places: 3, in: range).map { Int32(truncatingIfNeeded: $0) }
  }

  private static func horizontalAccuracy(_ fields: inout RecordFields) throws(UploadError) -> Int32? {
    let radius = try fields.thousandths(.horizontalAccuracy)
    guard !fields.isStrict, radius == unknownAccuracy else { return radius }
    fields.keep(.horizontalAccuracy)
    return nil
  }

  private static func steps(_ fields: inout RecordFields) throws(UploadError) -> Int32? {
    try fields.integer(.steps, in: 0...Int64(Int32.max)).map { Int32(truncatingIfNeeded: $0) }
  }

  private static func visit(
    _ fields: inout RecordFields, _ id: RowID, _ place: PlaceColumns?
  ) throws(UploadError) -> VisitRow {
    var row = VisitRow(id: id, place: place)
    row.arrival = try fields.time(.arrival)
    row.departure = try fields.time(.departure)
    row.horizontalAccuracyMillimetres = try horizontalAccuracy(&fields)
    row.radiusMillimetres = try fields.thousandths(.radius)
    fields.keepAll(Self.measurements + [.steps])
    row.device = try device(&fields)
    row.extra = try fields.extra()
    return row
  }

  private static func trip(
    _ fields: inout RecordFields, _ id: RowID, _ place: PlaceColumns?
  ) throws(UploadError) -> TripRow {
    var row = TripRow(id: id)
    row.start = try fields.time(.start)
    row.end = try fields.time(.end)
    row.mode = try fields.text(.mode, limit: 100)
    row.durationMilliseconds = try fields.integer(.duration, places: 3, in: 0...Int64.max)
    row.distanceMillimetres = try fields.integer(.distance, places: 3, in: 0...Int64.max)
    row.steps = try steps(&fields)
    row.startPlace = try self.place(&fields, .startLocation)
    row.endPlace = try self.place(&fields, .endLocation) ?? place
    row.isManual = try fields.flag(.manual)
    row.ending = try fields.word(.ending, of: Vocabulary.endings).map { "\(Vocabulary.endings[$0])" }
    row.isReconstructed = try fields.flag(.reconstructed) ?? false
    let isAutomatic = try fields.flag(.stoppedAutomatically)
    if row.ending == nil, isAutomatic == false {
      row.ending = "asked"
    } else if row.ending == nil, isAutomatic == true {
      fields.keep(.stoppedAutomatically)
    }
    fields.keepAll(Self.measurements + [.horizontalAccuracy])
    row.device = try device(&fields)
    row.extra = try fields.extra()
    return row
  }

  /// The position of a Feature within a trip; nil if it is absent or has none.
  private static func place(
    _ fields: inout RecordFields, _ key: Property
  ) throws(UploadError) -> PlaceColumns? {
    guard let value = fields.value(key) else { return nil }
    guard value.kind == .object else {
      try fields.reject(key, .wrongType(expected: "a Feature"))
      return nil
    }
    var scanner = TextScanner(fields.source, at: value.start)
    try scanner.enter(depth: 0)
    var isFirst = true
    while let key = try scanner.nextKey(isFirst: &isFirst) {
      if scanner.isEqual(key.range, "geometry") {
        return try FeatureGeometry(&scanner, depth: 0).place(fields.source, record: fields.record)
      }
      _ = try scanner.value(depth: 0)
    }
    return nil
  }

  private static func action(
    _ fields: inout RecordFields, _ id: RowID, _ place: PlaceColumns?
  ) throws(UploadError) -> ActionRow {
    guard let value = fields.value(.action), value.kind == .string, !value.range.isEmpty,
      value.range.count <= Self.longestAction
    else {
      throw fields.fault(.action, .wrongType(expected: "a text of at most \(Self.longestAction) bytes"))
    }
    var row = ActionRow(id: id, action: fields.source.text(value), place: place)
    fields.keepAll(Self.measurements + [.horizontalAccuracy, .steps])
    row.device = try device(&fields)
    row.extra = try fields.extra()
    return row
  }

  private static let longestAction = 100

  /// The properties of locations that visits, trips and actions have no columns for.
  private static let measurements: [Property] = [
    .altitude, .speed, .course, .verticalAccuracy, .speedAccuracy, .courseAccuracy, .motion, .tripID, .fix,
    .satellites, .accuracySource, .timeQuality, .reasons, .dilution,
  ]

  private static func device(_ fields: inout RecordFields) throws(UploadError) -> DeviceStateColumns {
    var device = DeviceStateColumns()
    device.batteryPercent = try fields.integer(.batteryLevel, places: 2, in: 0...100).map {
      UInt8(truncatingIfNeeded: $0)
    }
    device.wifi = try fields.text(.wifi)
    if !fields.isStrict, let state = fields.value(.batteryState), state.kind == .yes || state.kind == .no {
      // Overland for Android: true while it is charged.
      device.batteryState = state.kind == .yes ? .charging : .unplugged
    } else {
      device.batteryState = try fields.word(.batteryState, of: Vocabulary.batteryStates).flatMap {
        BatteryState(rawValue: UInt8(clamping: $0))
      }
    }
    return device
  }
}

extension RecordFields {
  fileprivate func value(_ key: Property) -> TextValue? { value(key.rawValue) }
  fileprivate func fault(_ key: Property, _ fault: UploadError.Fault) -> UploadError {
    self.fault(key.rawValue, fault)
  }
  fileprivate mutating func reject(_ key: Property, _ fault: UploadError.Fault) throws(UploadError) {
    try reject(key.rawValue, fault)
  }
  fileprivate mutating func keep(_ key: Property) { keep(key.rawValue) }
  fileprivate mutating func keepAll(_ keys: [Property]) { for key in keys { keep(key.rawValue) } }
  fileprivate mutating func integer(
    _ key: Property, places: Int = 0, in range: ClosedRange<Int64>
  ) throws(UploadError) -> Int64? { try integer(key.rawValue, places: places, in: range) }
  fileprivate mutating func thousandths(_ key: Property) throws(UploadError) -> Int32? {
    try thousandths(key.rawValue)
  }
  fileprivate mutating func flag(_ key: Property) throws(UploadError) -> Bool? { try flag(key.rawValue) }
  fileprivate mutating func text(_ key: Property, limit: Int = 200) throws(UploadError) -> String? {
    try text(key.rawValue, limit: limit)
  }
  fileprivate mutating func time(_ key: Property) throws(UploadError) -> Timestamp? { try time(key.rawValue) }
  fileprivate mutating func requiredTime(_ key: Property) throws(UploadError) -> Timestamp {
    try requiredTime(key.rawValue)
  }
  fileprivate mutating func word(_ key: Property, of words: [StaticString]) throws(UploadError) -> Int? {
    try word(key.rawValue, of: words)
  }
  fileprivate mutating func wordSet(_ key: Property, of words: [StaticString]) throws(UploadError) -> Int32? {
    try wordSet(key.rawValue, of: words)
  }
  /// True for a negative number.
  fileprivate func isNegative(_ key: Property) -> Bool {
    guard let value = value(key), value.kind == .number else { return false }
    return source.bytes[value.start] == UInt8(ascii: "-")
  }
}
