import DaySupport
import Energy
import Quantities
import Records
import Testing
import Scheduling
import Tracking

/// Days on which the operator adds a privacy zone around the device.
@Suite struct PrivateDays {
  static let seeds = Array(1...24 as ClosedRange<UInt64>)

  private static func settings(_ random: inout SplitMix64) -> TrackerSettings {
    let policies: [TrackingPolicy?] = [nil, .high, .within(metres: 20), .significant]
    var settings = TrackedDay.settings(policies.randomElement(using: &random) ?? nil)
    settings.parking = Bool.random(using: &random) ? ParkingRules() : nil
    settings.freezesWhenParked = Bool.random(using: &random)
    settings.driving.towDelay = .seconds(300)
    settings.statistics = TrackingStatistics(
      pauses: true, activity: .other, desiredAccuracy: .best, mode: .standard)
    return settings
  }

  /// Drives and walks to and fro, so that it passes the same positions again, with all kinds of requests.
  private static func live(_ day: TrackedDay, _ random: inout SplitMix64) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: day.stop(.seconds(Int.random(in: 10...4000, using: &random)))
    case 2:
      day.walk(
        Double.random(in: 50...500, using: &random), course: Bool.random(using: &random) ? 0 : 180)
    case 3, 4, 5:
      let speed = Double.random(in: 4...30, using: &random)
      day.drive(
        Double.random(in: 100...3000, using: &random), at: speed,
        course: Bool.random(using: &random) ? 90 : 270)
    case 6: day.handle(.trip(Bool.random(using: &random) ? .start(.car) : .stop))
    case 7: day.handle(.positionRequested)
    case 8: day.handle(.checkIn)
    default:
      if Bool.random(using: &random) { day.handle(.stopping) }
      day.cutPower(for: .seconds(Int.random(in: 1...5000, using: &random)))
    }
  }

  @Test(arguments: seeds)
  func aNewPrivacyZoneDisclosesNoLocationInside(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let day = TrackedDay(Self.settings(&random), fitting: .init(hasIgnition: true), seed: seed)
    for _ in 0..<8 { Self.live(day, &random) }
    let radius = Double.random(in: 60...400, using: &random)
    let zone = try #require(Zone.hiding(day.position, radius: radius))
    var settings = day.tracker.settings
    let inside = try #require(ZoneShape(centre: day.position, radius: 50))
    settings.zones = [Zone("inner", inside), zone]
    let before = day.actions.count
    day.handle(.settings(settings, changed: ["privacy_zones"]))
    for _ in 0..<16 {
      Self.live(day, &random)
      #expect(day.tracker.disclosedCoordinates.filter(zone.contains).isEmpty)
    }
    day.stop(.seconds(3600))
    day.handle(.stopping)
    let reported = day.actions[before...]
    #expect(reported.flatMap(\.positions).filter(zone.contains).isEmpty)
    let inner = reported.filter {
      guard case .keep(let record, _) = $0, case .event(let event) = record.body else { return false }
      return event.detail.contains("inner") || event.fields.json.contains("inner")
    }
    #expect(inner.isEmpty)
  }
}
