import DaySupport
import Energy
import Quantities
import Records
import Testing
@testable import Scheduling
@testable import Tracking

/// Promises that hold on any day.
@Suite struct RandomDays {
  static let seeds = Array(1...8 as ClosedRange<UInt64>)

  /// A day of drives, walks, stops, tunnels, doors and changed settings, by the seed. A wild day adds clock steps and
  /// power cuts, a dense one has no sparse policy. A day of requests adds requests for positions and trips by hand.
  static func day(
    _ seed: UInt64, isWild: Bool = false, isDense: Bool = false, hasRequests: Bool = false,
    inspect: ((borrowing Tracker, Moment) -> Void)? = nil,
    prepare: (inout TrackerSettings, inout TrackedDay.Fitting) -> Void = { _, _ in }
  ) -> TrackedDay {
    var random = SplitMix64(seed: seed)
    let dense: [TrackingPolicy] = [.high, .highInCyclicMode, .within(metres: 10), .within(metres: 20)]
    var policies = isDense ? dense : dense + [.significant]
    if hasRequests { policies += [seldom, fenced, .off] }
    var settings = TrackedDay.settings(policies.randomElement(using: &random))
    settings.parking = Bool.random(using: &random) ? ParkingRules() : nil
    if hasRequests { settings.manualTripPolicy = seldom }
    var fitting = TrackedDay.Fitting(
      hasAccelerometer: Int.random(in: 0..<4, using: &random) > 0, hasIgnition: Bool.random(using: &random))
    prepare(&settings, &fitting)
    let day = TrackedDay(settings, fitting: fitting, seed: seed)
    day.inspect = inspect
    for _ in 0..<(hasRequests ? 60 : 30) {
      let course = Double.random(in: 0..<360, using: &random)
      if hasRequests, Bool.random(using: &random) {
        ask(day, of: policies, &random)
        continue
      }
      switch Int.random(in: 0..<(isWild ? 12 : 10), using: &random) {
      case 0, 1: day.stop(.seconds(Int.random(in: 10...6000, using: &random)))
      case 2: day.wait(.seconds(Int.random(in: 5...900, using: &random)))
      case 3: day.walk(Double.random(in: 50...1500, using: &random), course: course)
      case 4, 5, 6:
        let speed = Double.random(in: 4...35, using: &random)
        day.drive(Double.random(in: 100...20_000, using: &random), at: speed, course: course)
      case 7:
        day.hasReception = false
        day.drive(Double.random(in: 100...4000, using: &random), at: 15, course: course)
        if Bool.random(using: &random) { day.stop(.seconds(Int.random(in: 60...9000, using: &random))) }
        day.hasReception = true
      case 8:
        day.shake(Int.random(in: 1...30, using: &random), as: Bool.random(using: &random) ? .driving : nil)
      case 9:
        var settings = day.tracker.settings
        settings.policy = policies.randomElement(using: &random)
        day.handle(.settings(settings, changed: ["main.tracking_mode"]))
      case 10: day.utc = day.utc + .seconds(Int.random(in: -20_000...20_000, using: &random))
      default: day.cutPower(for: .seconds(Int.random(in: 1...20_000, using: &random)))
      }
    }
    day.stop(.seconds(7200))
    return day
  }

  /// Plain `standard` at 1 km: periodic, moving or not.
  private static let seldom = TrackingPolicy(
    trackingMode: .standard, pausesAutomatically: false, desiredAccuracy: .kilometre1)
  private static let fenced = TrackingPolicy(
    trackingMode: .standard, pausesAutomatically: true, desiredAccuracy: .best, resumeDistance: 500)

  /// Makes a request and lets some seconds pass.
  private static func ask(
    _ day: TrackedDay, of policies: [TrackingPolicy], _ random: inout SplitMix64
  ) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: day.handle(.positionRequested)
    case 2: day.handle(.checkIn)
    case 3: day.handle(.trip(.start(.car)))
    case 4: day.handle(.trip(.stop))
    default:
      var settings = day.tracker.settings
      settings.policy = policies.randomElement(using: &random)
      day.handle(.settings(settings, changed: ["main.tracking_mode"]))
    }
    day.pass(.seconds(Int.random(in: 0...40, using: &random)))
    if Int.random(in: 0..<4, using: &random) == 0 { day.shake(3) }
  }

  /// Every state has its end in the future, after any request.
  @Test(arguments: Array(1...12 as ClosedRange<UInt64>), [false, true])
  func everyDeadlineOfTheScheduleIsInTheFutureAndEveryStateHasOne(seed: UInt64, isWild: Bool) {
    var inspections = 0
    var faults: [String] = []
    _ = Self.day(seed, isWild: isWild, hasRequests: true) { tracker, now in
      guard let schedule = tracker.receiver.schedule else { return }
      inspections += 1
      if let due = schedule.nextTimeout {
        if due <= now { faults.append("\(schedule.phase) at \(now), due \(due)") }
      } else if schedule.phase != .dormant {
        faults.append("\(schedule.phase) at \(now) without a deadline")
      }
      if tracker.summary.scheduleTimeout != schedule.nextTimeout {
        faults.append("\(now): reported another deadline")
      }
    }
    #expect(inspections > 20 && faults.isEmpty, "\(faults.count): \(faults.prefix(3))")
  }

  /// Without pending requests, the receiver of a stationary device sleeps.
  @Test(arguments: seeds)
  func requestsAndTripsByHandDoNotKeepTheReceiverAwake(seed: UInt64) {
    let day = Self.day(seed, hasRequests: true)
    day.handle(.trip(.stop))
    if seed % 2 == 0 {
      var settings = day.tracker.settings
      settings.policy = Self.seldom
      day.handle(.settings(settings, changed: ["main.tracking_mode"]))
    }
    day.stop(.seconds(60))
    day.handle(.positionRequested)
    day.stop(.seconds(1200))
    let before = day.now
    day.stop(.seconds(6 * 3600))
    #expect(
      day.onTime(from: before, to: day.now) < .seconds(1800), "\(day.onTime(from: before, to: day.now))")
  }

  @Test(arguments: seeds)
  func theReceiverIsInOneStateAtATime(seed: UInt64) throws {
    let day = Self.day(seed)
    let intervals = day.intervals
    #expect(intervals.first?.start == Moment.zero + .seconds(100) && intervals.last?.end == day.now)
    #expect(zip(intervals, intervals.dropFirst()).allSatisfy { $0.end == $1.start && $0.start < $0.end })
  }

  @Test(arguments: seeds)
  func timeNeverRunsBackwardsInTheLog(seed: UInt64) {
    let day = Self.day(seed)
    #expect(!day.points.isEmpty)
    for (earlier, later) in zip(day.points, day.points.dropFirst()) {
      #expect(earlier.time < later.time, "\(earlier.time.iso8601()) \(later.location.reasons)")
    }
  }

  @Test(arguments: seeds, [false, true])
  func everyTripHasOneStartAndOneEnd(seed: UInt64, isWild: Bool) {
    let day = Self.day(seed, isWild: isWild)
    var isRunning = false
    for event in day.records.compactMap({ if case .event(let event) = $0.body { event.kind } else { nil } }) {
      if event == .tripStarted {
        #expect(!isRunning)
        isRunning = true
      } else if event == .tripEnded {
        #expect(isRunning)
        isRunning = false
      }
    }
    #expect(!isRunning, "a stop of two hours ends every trip")
    #expect(day.trips.allSatisfy { $0.durationMilliseconds >= 0 && $0.distanceMillimetres > 0 })
    guard !isWild else { return }
    #expect(!day.trips.isEmpty)
    for (earlier, later) in zip(day.trips, day.trips.dropFirst()) {
      #expect(earlier.end.time.flatMap { end in later.start.time.map { end <= $0 } } == true)
    }
    // Each location names a trip that is in the log, or none.
    let starts = Set(day.trips.map(\.start))
    let named = Set(day.points.compactMap(\.location.trip))
    #expect(starts.isSubset(of: named))
  }

  @Test(arguments: seeds, [false, true])
  func arrivalsAndDeparturesAlternate(seed: UInt64, isWild: Bool) {
    let visits = Self.day(seed, isWild: isWild).visits
    #expect(visits.count > 1)
    for (earlier, later) in zip(visits, visits.dropFirst()) {
      #expect((earlier.departure == nil) != (later.departure == nil))
      if earlier.departure == nil { #expect(earlier.arrival == later.arrival) }
    }
  }

  @Test(arguments: seeds)
  func everyGapHasAReason(seed: UInt64) {
    #expect(Self.day(seed, isDense: true).unexplainedPauses(over: .seconds(200)).isEmpty)
  }

  @Test(arguments: seeds)
  func ledgerAndRemainderEqualTheGauge(seed: UInt64) throws {
    let day = Self.day(seed)
    var random = SplitMix64(seed: seed)
    var ledger = ChargeLedger(start: Moment.zero + .seconds(100))
    var (left, drawn) = (6000.0, 0.0)
    ledger.gauge(remaining: Charge(milliampereHours: left), now: ledger.start)
    for interval in day.intervals {
      let current = ReceiverCurrents.neoM8N[interval.state]
      ledger.enter(.receiver, as: .receiver(interval.state), milliamperes: current, now: interval.start)
      drawn += Charge(milliamperes: current, for: interval.duration).milliampereHours
      // The host and the consumers without a current.
      left -=
        Charge(milliamperes: current + Double.random(in: 0...120, using: &random), for: interval.duration)
        .milliampereHours
      ledger.gauge(remaining: Charge(milliampereHours: left), now: interval.end)
    }
    let shares = EnergyShare.all.reduce(Charge.zero) { $0 + ledger.charge(of: $1, now: day.now) }
    let remainder = try #require(ledger.unexplained)
    #expect(abs(shares.milliampereHours - drawn) < 1e-6)
    #expect(abs((shares + remainder).milliampereHours - (6000 - left)) < 1e-6)
  }

  @Test func theSameDayYieldsTheSameRecords() {
    #expect(Self.day(5).records == Self.day(5).records)
  }
}
