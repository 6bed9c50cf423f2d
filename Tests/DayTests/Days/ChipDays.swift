import DaySupport
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Simulation
import Testing
import Tracking
import Daemon

/// Days with a gauge or an accelerometer that reports impossible values, is silent, or blocks the bus.
@Suite struct ChipDays {
  // MARK: The gauge

  static func settings() -> TrackerSettings {
    var settings = TrackedDay.settings()
    settings.batteryWithoutGauge = .unknown
    var power = PowerRules()
    power.charge = PowerRules.Limits(low: 15, critical: 6, resume: 20, leastGap: 1)
    settings.power = power
    return settings
  }

  /// A working day with this gauge, compared with the receiver on a day without one.
  static func live(_ chips: DayChips) -> TrackedDay {
    let day = TrackedDay(settings(), at: "2026-03-21T00:00:00Z")
    day.add(chips)
    day.commute()
    return day
  }

  static func expectUndisturbed(_ day: TrackedDay) {
    #expect(day.trips.count == 2 && day.events(.powerLevel).isEmpty)
    #expect(day.intervals == TrackedDay.undisturbedCommute().intervals)
    #expect(day.wrongPower(stationary: 60..<1800, ofMotion: 0.95...1, starts: 3...110).isEmpty)
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.points.count == TrackedDay.undisturbedCommute().points.count)
  }

  @Test func aMissingGaugeIsReportedOnceAndTheBatteryIsUnknown() throws {
    let day = Self.live(DayChips(cell: CellTrack(percent: 80, rate: -1), isGaugeThere: false))
    Self.expectUndisturbed(day)
    #expect(day.events(.gaugeLost).count == 1)
    #expect(
      day.points.allSatisfy { $0.location.batteryPercent == nil && $0.location.batteryState == .unknown })
  }

  /// It reports 80 % all day, and the cell is at 3.3 V by noon.
  @Test func aStuckGaugeIsTrustedUntilItsVoltageContradictsIt() throws {
    let cell = try CellTrack(csv: "0,4.05,80,0\n43200,3.3,80,0\n86400,3.25,80,0\n".utf8)
    let day = Self.live(DayChips(cell: cell))
    #expect(day.points.first { $0.location.batteryPercent != nil }?.location.batteryPercent == 80)
    #expect(day.points.suffix(700).allSatisfy { $0.location.batteryPercent != 80 })
    #expect((1...2).contains(day.events(.gaugeDoubtful).count))
    #expect(day.trips.count == 2 && day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(stationary: 60..<1800, ofMotion: 0.95...1, starts: 3...110).isEmpty)
  }

  /// As after charging.
  @Test func aChargeOf115PercentIsAFullBatteryInEveryRecord() throws {
    let cell = try CellTrack(csv: "0,4.2,115,0\n86400,4.19,115,0\n".utf8)
    let day = Self.live(DayChips(cell: cell))
    Self.expectUndisturbed(day)
    #expect(day.points.allSatisfy { $0.location.batteryPercent ?? 0 <= 100 })
    #expect(day.points.filter { $0.location.batteryPercent == 100 }.count > day.points.count - 40)
  }

  /// For five minutes of the drive to work it reports 4 % at a constant voltage.
  @Test func aJumpOfTheChargeEndsNoTripAndChangesNoPowerLevel() throws {
    let cell = try CellTrack(
      csv: "0,4.0,80,0\n21900,4.0,80,0\n21901,4.0,4,0\n22200,4.0,4,0\n22201,4.0,79,0\n86400,3.95,74,0\n".utf8)
    let day = Self.live(DayChips(cell: cell))
    Self.expectUndisturbed(day)
    #expect(day.points.allSatisfy { $0.location.batteryPercent.map { $0 > 60 } ?? true })
    #expect(day.points.last?.location.batteryPercent.map { $0 > 60 } == true)
  }

  // MARK: The accelerometer

  static let body: [(from: Double, activity: AccelerationTrack.Activity)] = [
    (0, .stationary), (7200, .driving), (8000, .stationary), (18_000, .driving), (18_800, .stationary),
  ]

  /// Two drives on a day of eight hours, with a simulated accelerometer.
  static func ride(_ chips: DayChips) -> TrackedDay {
    let day = TrackedDay(fitting: .init(hasAccelerometer: false), at: "2026-03-21T06:00:00Z")
    day.add(chips)
    day.stop(.seconds(7200))
    day.drive(12_000, at: 15)
    day.stop(.seconds(10_000))
    day.drive(12_000, at: 15, course: 270)
    day.stop(.seconds(10_000))
    return day
  }

  @Test func anAccelerometerWakesTheReceiverForBothDrivesOnly() throws {
    let day = Self.ride(DayChips(body: Self.body))
    #expect(day.trips.count == 2 && day.events(.accelerometerDoubtful).isEmpty)
    #expect(day.wrongPower(stationary: 60..<900, ofMotion: 0.97...1, starts: 3...45).isEmpty)
  }

  /// While moving, the loop is blocked for 10 s of every minute; the FIFO holds 1 s.
  @Test func aFIFOOverrunIsReportedRarelyAndCostsNoLocation() throws {
    let chips = DayChips(body: Self.body)
    for minute in 0..<480 {
      let start = Moment.zero + .seconds(100 + minute * 60 + 30)
      chips.blockedPeriods.append(start..<(start + .seconds(10)))
    }
    let day = Self.ride(chips)
    let whole = Self.ride(DayChips(body: Self.body))
    let reports = day.events(.accelerometerDoubtful)
    // One report an hour.
    #expect((1...4).contains(reports.count) && reports.allSatisfy { $0.value.map { $0 > 0 } == true })
    #expect(day.trips.count == 2 && day.events(.accelerometerLost).isEmpty)
    #expect(day.points.count >= whole.points.count - 30)
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(stationary: 60..<1200, ofMotion: 0.95...1, starts: 3...45).isEmpty)
  }

  /// SCL is low from an hour before the first drive to an hour after it.
  @Test func aStuckBusIsReportedOncePerChipAndTheDriveIsDetectedWithoutIt() throws {
    let cell = CellTrack(percent: 80, rate: -1)
    let chips = DayChips(cell: cell, body: Self.body)
    chips.bus.stick(during: (Moment.zero + .seconds(3700))..<(Moment.zero + .seconds(11_700)))
    let day = Self.ride(chips)
    for kind in [EventKind.accelerometerLost, .accelerometerReturned, .gaugeLost] {
      #expect(day.events(kind).count == 1, "\(kind)")
    }
    #expect(day.trips.count == 2)
    let departure = try #require(Timestamp(iso8601: "2026-03-21T08:00:00Z"))
    let found = try #require(day.trips.first?.start.time)
    #expect(found - departure <= .seconds(240))
    // Unknown during the fault, and known afterwards.
    let during = day.points.filter { (60..<700).contains(($0.time - departure).inSeconds) }
    #expect(!during.isEmpty && during.allSatisfy { $0.location.batteryPercent == nil })
    #expect(day.points.last?.location.batteryPercent.map { $0 > 60 } == true)
    // Without the motion sensor there is a position check every 3 min.
    #expect(day.wrongPower(stationary: 60..<2400, ofMotion: 0.8...1, starts: 20...100).isEmpty)
    #expect(day.unexplainedPauses(over: .seconds(200)).isEmpty)
  }
}
