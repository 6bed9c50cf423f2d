import FleetRecords
import Quantities

/// Reads a message of OwnTracks into a location.
enum OwnTracksReader {
  private enum Key: Int {
    case type, latitude, longitude, time, accuracy, altitude, verticalAccuracy, speed, course, battery,
      batteryState
    case topic, network

    static let names: [StaticString] = [
      "_type", "lat", "lon", "tst", "acc", "alt", "vac", "vel", "cog", "batt", "bs", "topic", "SSID",
    ]
    static let table = KeyTable(names)
  }

  private static let prefix = "owntracks/"
  private static let longestTopic = 200

  static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, owner: String?, hash: UploadReader.Hash
  ) throws(UploadError) -> Upload? {
    var scanner = TextScanner(bytes)
    scanner.skipSpace()
    guard scanner.next == UInt8(ascii: "{") else {
      _ = try scanner.value(depth: 0)
      try scanner.expectEnd()
      throw .invalid(key: "_type", .missing, offset: 0, record: nil)
    }
    let start = scanner.position
    var fields = RecordFields(Key.names, Key.table, scanner)
    try fields.read(&scanner, depth: 0)
    let end = scanner.position
    try scanner.expectEnd()
    guard let type = fields.value(Key.type.rawValue) else { throw fields.fault(Key.type.rawValue, .missing) }
    if scanner.hasText(type, "encrypted") { throw .encrypted }
    guard scanner.hasText(type, "location") else { return nil }
    fields.acceptsNumbersAsText = true
    try fields.check(&scanner)
    let number = UploadReader.number(hash: hash(UnsafeRawBufferPointer(scanner.slice(start..<end))))
    var row = try location(&fields, number: number)
    let topic = try fields.text(Key.topic.rawValue, limit: longestTopic).map {
      $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.utf8.count)) : $0
    }
    let name = [topic, owner].compactMap { $0 }.first { !$0.isEmpty && !$0.utf8.contains(0) } ?? ""
    row.extra = try fields.extra()
    return Upload(deviceID: String(name.prefix(Self.longestTopic)), locations: [row])
  }

  private static func location(_ fields: inout RecordFields, number: Int64) throws(UploadError) -> LocationRow
  {
    let latest = TimeText.latest.milliseconds
    fields.isStrict = true
    guard
      let time = try fields.integer(Key.time.rawValue, places: 3, in: TimeText.earliest.milliseconds...latest)
    else { throw fields.fault(Key.time.rawValue, .missing) }
    guard let latitude = try fields.integer(Key.latitude.rawValue, places: 7, in: -900_000_000...900_000_000)
    else {
      throw fields.fault(Key.latitude.rawValue, .missing)
    }
    guard
      let longitude = try fields.integer(
        Key.longitude.rawValue, places: 7, in: -1_800_000_000...1_800_000_000)
    else { throw fields.fault(Key.longitude.rawValue, .missing) }
    fields.isStrict = false
    var row = LocationRow(
      id: RowID(time: Timestamp(milliseconds: time), record: number),
      place: PlaceColumns(
        latitudeE7: Int32(truncatingIfNeeded: latitude), longitudeE7: Int32(truncatingIfNeeded: longitude)))
    row.horizontalAccuracyMillimetres = try fields.thousandths(Key.accuracy.rawValue)
    row.verticalAccuracyMillimetres = try fields.thousandths(Key.verticalAccuracy.rawValue)
    row.altitudeMillimetres = try fields.integer(
      Key.altitude.rawValue, places: 3, in: Int64(Int32.min)...Int64(Int32.max)
    ).map { Int32(truncatingIfNeeded: $0) }
    // km/h in thousandths to mm/s, rounded: 1 km/h is 1000/3.6 mm/s.
    row.speedMillimetresPerSecond = try fields.integer(
      Key.speed.rawValue, places: 3, in: 0...Int64(Int32.max)
    ).map { Int32(truncatingIfNeeded: ($0 * 10 + 18) / 36) }
    row.courseMillidegrees = try fields.integer(Key.course.rawValue, places: 3, in: 0...360_000).map {
      Int32(truncatingIfNeeded: $0)
    }
    try readDevice(&fields, into: &row.device)
    return row
  }

  private static func readDevice(
    _ fields: inout RecordFields, into device: inout DeviceStateColumns
  ) throws(UploadError) {
    device.wifi = try fields.text(Key.network.rawValue)
    // Overland writes -100 for an unknown charge.
    if let charge = try fields.integer(Key.battery.rawValue, in: -100...100), charge >= 0 {
      device.batteryPercent = UInt8(truncatingIfNeeded: charge)
    }
    switch try fields.integer(Key.batteryState.rawValue, in: 0...3) {
    case 0: device.batteryState = .unknown
    case 1: device.batteryState = .unplugged
    case 2: device.batteryState = .charging
    case 3: device.batteryState = .full
    default: break
    }
  }
}
