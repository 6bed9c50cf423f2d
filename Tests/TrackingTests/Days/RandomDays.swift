import DaySupport
import Energy
import Quantities
import Records
import Testing

@testable import Tracking

/// Promises that hold on any day.
@Suite struct RandomDays {
  static let seeds = Array(1...8 as ClosedRange<UInt64>)

  /// A day of drives, walks, stops, tunnels, doors and changed settings, by the seed. A wild day adds clock steps and
  /// power cuts, a dense one has no sparse policy. A day of requests adds requests for positions and trips by hand.
  static func day(
    _ seed: UInt64, isWild: Bool = false, isDense: Bool = false, hasRequests: Bool = false,
    inspect: ((Tracker, Moment) -> Void)? = nil,
    prepare: (inout TrackerSettings, inout TrackedDay.Fitting) -> Void = { _, _ in }
  ) -> TrackedDay {
    var random = SplitMix64(seed: seed)
    let dense: [ReceiverScheme] = [.high, .highInCyclicMode, .within(metres: 10), .within(metres: 20)]
    var schemes = isDense ? dense : dense + [.significant]
    if hasRequests { schemes += [seldom, fenced, .off] }
    var settings = TrackedDay.settings(schemes.randomElement(using: &random))
    settings.parking = Bool.random(using: &random) ? ParkingRules() : nil
    if hasRequests { settings.manualTripScheme = seldom }
    var fitting = TrackedDay.Fitting(
      hasAccelerometer: Int.random(in: 0..<4, using: &random) > 0, hasIgnition: Bool.random(using: &random))
    prepare(&settings, &fitting)
    var day = TrackedDay(settings, fitting: fitting, seed: seed)
    day.inspect = inspect
    for _ in 0..<(hasRequests ? 60 : 30) {
      let course = Double.random(in: 0..<360, using: &random)
      if hasRequests, Bool.random(using: &random) {
        ask(&day, of: schemes, &random)
        continue
      }
      switch Int.random(in: 0..<(isWild ? 12 : 10), using: &random) {
      case 0, 1: day.rest(.seconds(Int.random(in: 10...6000, using: &random)))
      case 2: day.wait(.seconds(Int.random(in: 5...900, using: &random)))
      case 3: day.walk(Double.random(in: 50...1500, using: &random), course: course)
      case 4, 5, 6:
        let speed = Double.random(in: 4...35, using: &random)
        day.drive(Double.random(in: 100...20_000, using: &random), at: speed, course: course)
      case 7:
        day.hasSky = false
        day.drive(Double.random(in: 100...4000, using: &random), at: 15, course: course)
        if Bool.random(using: &random) { day.rest(.seconds(Int.random(in: 60...9000, using: &random))) }
        day.hasSky = true
      case 8:
        day.shake(Int.random(in: 1...30, using: &random), as: Bool.random(using: &random) ? .driving : nil)
      case 9:
        var settings = day.tracker.settings
        settings.scheme = schemes.randomElement(using: &random)
        day.tell(.settings(settings, changed: ["main.tracking_mode"]))
      case 10: day.utc = day.utc + .seconds(Int.random(in: -20_000...20_000, using: &random))
      default: day.cutPower(for: .seconds(Int.random(in: 1...20_000, using: &random)))
      }
    }
    day.rest(.seconds(7200))
    return day
  }

  /// Plain `standard` at 1 km: periodic, moving or not.
  private static let seldom = ReceiverScheme(
    trackingMode: .standard, pausesAutomatically: false, desiredAccuracy: .kilometre1)
  private static let fenced = ReceiverScheme(
    trackingMode: .standard, pausesAutomatically: true, desiredAccuracy: .best, resumeDistance: 500)

  /// Makes a request and lets some seconds pass.
  private static func ask(
    _ day: inout TrackedDay, of schemes: [ReceiverScheme], _ random: inout SplitMix64
  ) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: day.tell(.positionWanted)
    case 2: day.tell(.checkIn)
    case 3: day.tell(.trip(.start(.car)))
    case 4: day.tell(.trip(.stop))
    default:
      var settings = day.tracker.settings
      settings.scheme = schemes.randomElement(using: &random)
      day.tell(.settings(settings, changed: ["main.tracking_mode"]))
    }
    day.pass(.seconds(Int.random(in: 0...40, using: &random)))
    if Int.random(in: 0..<4, using: &random) == 0 { day.shake(3) }
  }

  /// Every state has its end in the future, after any request.
  @Test(arguments: Array(1...12 as ClosedRange<UInt64>), [false, true])
  func everyDeadlineOfTheScheduleIsInTheFutureAndEveryStateHasOne(seed: UInt64, isWild: Bool) {
    var looked = 0
    var faults: [String] = []
    _ = Self.day(seed, isWild: isWild, hasRequests: true) { tracker, now in
      looked += 1
      guard let plan = tracker.plan else { return }
      if let due = plan.nextTimeout {
        if due <= now { faults.append("\(plan.phase) at \(now), due \(due)") }
      } else if plan.phase != .dormant {
        faults.append("\(plan.phase) at \(now) without a deadline")
      }
      if tracker.planTimeout != plan.nextTimeout { faults.append("\(now): reported another deadline") }
    }
    #expect(looked > 20 && faults.isEmpty, "\(faults.count): \(faults.prefix(3))")
  }

  /// Without pending requests, the receiver of a stationary device sleeps.
  @Test(arguments: seeds)
  func requestsAndTripsByHandDoNotKeepTheReceiverAwake(seed: UInt64) {
    var day = Self.day(seed, hasRequests: true)
    day.tell(.trip(.stop))
    if seed % 2 == 0 {
      var settings = day.tracker.settings
      settings.scheme = Self.seldom
      day.tell(.settings(settings, changed: ["main.tracking_mode"]))
    }
    day.rest(.seconds(60))
    day.tell(.positionWanted)
    day.rest(.seconds(1200))
    let before = day.now
    day.rest(.seconds(6 * 3600))
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
