import Database
import FoundationEssentials
import JSON
import Quantities
import Records

/// Reads and writes visits, trips and actions. Their position and device state use the columns of a location; the rest
/// is JSON in `detail`, which the views extract.
extension RecordRow {
  private struct VisitDetail: Codable {
    var arrival: Int64?
    var departure: Int64?
    var radius_mm: Int32?
  }

  private struct TripDetail: Codable {
    var start: Int64
    var end: Int64
    var duration_ms: Int64
    var manual: Int
    var ending: UInt8
    var start_place: TripLocationDetail?
    /// The time of the position that the columns hold.
    var end_place_time: Int64?
    /// The device state at that time; absent if it equals the state in the columns.
    var end_place_device: TripLocationDetail.Device?
    /// 1 for a reconstructed trip; absent for others.
    var reconstructed: Int?
  }

  // MARK: Writing

  static func write(_ visit: VisitRecord, to row: inout [ColumnValue]) {
    row[1] = .integer(Kind.visit)
    row[7] = .integer(Int64(visit.coordinate.latitudeE7))
    row[8] = .integer(Int64(visit.coordinate.longitudeE7))
    row[12] = .optional(visit.horizontalAccuracyMillimetres)
    write(visit.device, to: &row)
    row[25] = json(
      VisitDetail(
        arrival: visit.arrival?.column, departure: visit.departure?.column,
        radius_mm: visit.radiusMillimetres))
  }

  static func write(_ trip: TripRecord, to row: inout [ColumnValue]) {
    row[1] = .integer(Kind.trip)
    var detail = TripDetail(
      start: trip.start.column, end: trip.end.column, duration_ms: trip.durationMilliseconds,
      manual: trip.isManual ? 1 : 0, ending: trip.ending.rawValue)
    if trip.isReconstructed { detail.reconstructed = 1 }
    detail.start_place = trip.startLocation.map(TripLocationDetail.init)
    if let tripLocation = trip.endLocation {
      writePosition(of: tripLocation.location, to: &row)
      detail.end_place_time = tripLocation.time.column
      if tripLocation.location.device != trip.device {
        detail.end_place_device = .init(tripLocation.location.device)
      }
    }
    write(trip.device, to: &row)
    row[24] = .text(trip.mode.rawValue)
    row[25] = json(detail)
    row[26] = .integer(trip.distanceMillimetres)
    row[Column.steps] = .optional(trip.steps)
  }

  static func write(_ action: ActionRecord, to row: inout [ColumnValue]) {
    row[1] = .integer(Kind.action)
    row[7] = .integer(Int64(action.coordinate.latitudeE7))
    row[8] = .integer(Int64(action.coordinate.longitudeE7))
    write(action.device, to: &row)
    row[24] = .text(action.action.rawValue)
  }

  // MARK: Reading

  static func visit(_ row: [ColumnValue]) -> VisitRecord? {
    guard let coordinate = coordinate(row), let device = device(row),
      let detail: VisitDetail = decoded(row[25])
    else { return nil }
    var visit = VisitRecord(
      coordinate: coordinate, arrival: detail.arrival.map(Instant.init(column:)),
      departure: detail.departure.map(Instant.init(column:)), device: device)
    visit.horizontalAccuracyMillimetres = row[12].exactly()
    visit.radiusMillimetres = detail.radius_mm
    return visit
  }

  static func trip(_ row: [ColumnValue]) -> TripRecord? {
    guard let device = device(row), let detail: TripDetail = decoded(row[25]),
      let mode = row[24].text.flatMap(TripMode.init(rawValue:)), let distance = row[26].integer,
      let ending = TripRecord.Ending(rawValue: detail.ending)
    else { return nil }
    var trip = TripRecord(
      mode: mode, start: Instant(column: detail.start), end: Instant(column: detail.end),
      durationMilliseconds: detail.duration_ms, distanceMillimetres: distance, isManual: detail.manual != 0,
      ending: ending, device: device)
    trip.isReconstructed = detail.reconstructed.map { $0 != 0 } ?? false
    trip.steps = row[Column.steps].exactly()
    if let tripLocation = detail.start_place {
      guard let tripLocation = tripLocation.tripLocation else { return nil }
      trip.startLocation = tripLocation
    }
    if let time = detail.end_place_time {
      guard var tripLocation = location(row) else { return nil }
      if let other = detail.end_place_device {
        guard let other = other.state else { return nil }
        tripLocation.device = other
      }
      tripLocation.steps = nil
      trip.endLocation = TripRecord.Location(tripLocation, time: Instant(column: time))
    }
    return trip
  }

  static func action(_ row: [ColumnValue]) -> ActionRecord? {
    guard let coordinate = coordinate(row), let device = device(row),
      let action = row[24].text.flatMap(ActionRecord.Action.init(rawValue:))
    else { return nil }
    return ActionRecord(action, at: coordinate, device: device)
  }

  // MARK: JSON

  private static func json(_ detail: some Encodable) -> ColumnValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let text = try? encoder.encode(detail) else { return .null }
    return .text(String(decoding: text, as: UTF8.self))
  }

  private static func decoded<Detail: Decodable>(_ column: ColumnValue) -> Detail? {
    column.text.flatMap { try? CheckedJSON($0.utf8).decode(Detail.self) }
  }
}
