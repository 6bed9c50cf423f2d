import Quantities
import Records
import Testing
import GNSSProtocol
@testable import Tracking

/// The fixes held until a departure is certain, in limited memory.
@Suite struct FixRingTests {
  private static let drift = 25.0

  private static func position(_ metres: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: 52.5, longitude: 13.4)).moved(east: 0, north: metres)
  }

  /// Adds a fix at a second, `metres` from the stop, on the boot clock alone.
  private static func add(
    _ second: Int, _ metres: Double, to ring: inout FixRing, from stop: Coordinate?
  ) throws {
    let moment = Moment.zero + .seconds(second)
    let observation = Observation(timestamp: nil, moment: moment, coordinate: try position(metres))
    let device = DeviceState(deviceID: "van")
    let location = LocationRecord(Fix(), at: observation.coordinate, device: device)
    let record = LogRecord(moment: moment, time: nil, timeQuality: .none, body: .location(location))
    ring.add(observation, record: record, isKept: second % 7 == 0, position: stop, drift: drift)
  }

  /// The second at which the movement begins.
  private static func start(_ ring: FixRing) throws -> Duration? {
    ring.start(from: try position(0), drift: drift).map { ring.buffered[$0].record.moment - .zero }
  }

  @Test(arguments: [true, false]) func theRingNeverExceedsItsCapacity(hasPosition: Bool) throws {
    var ring = FixRing()
    let stop = hasPosition ? try Self.position(0) : nil
    for second in 0..<10_000 {
      try Self.add(second, second < 3000 ? 1 : 120, to: &ring, from: stop)
      #expect(ring.buffered.count <= FixRing.capacity)
    }
    #expect(ring.buffered.count > FixRing.capacity / 2)
    #expect(ring.buffered.map(\.record.moment) == ring.buffered.map(\.record.moment).sorted())
  }

  @Test func aMovementOfHoursKeepsItsBeginningAndIsDecimatedEvenly() throws {
    var ring = FixRing()
    let stop = try Self.position(0)
    for second in 0..<30_000 { try Self.add(second, second <= 1000 ? 2 : 120, to: &ring, from: stop) }
    #expect(try Self.start(ring) == .seconds(1000))
    let moments = ring.buffered.map(\.record.moment)
    let steps = zip(moments.dropFirst(), moments).map { $0.0 - $0.1 }
    #expect(steps.allSatisfy { $0 <= .seconds(30_000 * 4 / FixRing.capacity) }, "\(steps.max() ?? .zero)")
    #expect(steps.suffix(FixRing.recent - 1).allSatisfy { $0 == .seconds(1) })
  }

  /// The receiver slept during the departure: the movement begins with the first fix after it, and decimation makes
  /// no other gap.
  @Test func theFirstFixAfterASleepRemainsTheBeginning() throws {
    var ring = FixRing()
    let stop = try Self.position(0)
    for second in 0..<10 { try Self.add(second, 1, to: &ring, from: stop) }
    for second in 3600..<25_000 { try Self.add(second, 120, to: &ring, from: stop) }
    #expect(try Self.start(ring) == .seconds(3600))
  }

  /// A stop with a sleep during the movement, and hours after it: whichever of the fixes around the sleep are
  /// dropped.
  @Test(arguments: [27, 33, 40])
  func aSleepBeforeADecimatedFixMovesToTheNextFix(after tens: Int) throws {
    let sleep = 10 * tens
    var ring = FixRing()
    let home = try Self.position(0)
    for second in 0..<10 { try Self.add(second, 1, to: &ring, from: home) }
    for second in 10..<sleep { try Self.add(second, 120, to: &ring, from: home) }
    for second in (sleep + 62)..<30_000 { try Self.add(second, 180, to: &ring, from: home) }
    let index = try #require(ring.start(from: try Self.position(120), drift: Self.drift))
    #expect(index > 0 && ring.buffered[index].isAfterPause)
    let beyond = try Self.position(180)
    #expect(ring.buffered[index].observation.coordinate == beyond)
  }

  /// Hours stationary, 60 m from the assumed stop, with fixes every second or rarely: the movement begins with the
  /// departure.
  @Test(arguments: [1, 900], [1.5, 14])
  func fixesOfTheStopAreNotPartOfTheMovementHoweverFarAway(spacing: Int, speed: Double) throws {
    var ring = FixRing()
    let stop = try Self.position(0)
    let departure = 8 * 3600
    for second in stride(from: 0, to: departure, by: spacing) {
      _ = ring.stop(now: .zero + .seconds(second))
      try Self.add(second, 60 + Double(second % 7), to: &ring, from: stop)
    }
    _ = ring.stop(now: .zero + .seconds(departure))
    for second in departure..<(departure + 100) {
      try Self.add(second, 60 + speed * Double(second - departure), to: &ring, from: stop)
    }
    let start = try #require(try Self.start(ring))
    #expect(start >= .seconds(departure - 120) && start <= .seconds(departure), "\(start)")
  }

  /// A position check while stationary is not part of a movement that begins with the next fix.
  @Test func aMovementThatBeginsAfterASleepIncludesNoBufferedFix() throws {
    var ring = FixRing()
    try Self.add(0, 1, to: &ring, from: nil)
    let position = try Self.position(0)
    let after = { (seconds: Int) in
      Observation(timestamp: nil, moment: .zero + .seconds(seconds), coordinate: position)
    }
    #expect(ring.start(from: position, drift: Self.drift, next: after(900)) == nil)
    #expect(ring.start(from: position, drift: Self.drift, next: after(30)) == 0)
  }

  @Test(arguments: [(5, 9), (500, 510)])
  func hiddenFixesCountAsAGapIfTheyLastedLong(hidden: Int, began: Int) throws {
    var ring = FixRing()
    let stop = try Self.position(0)
    for second in 0..<10 { try Self.add(second, 1, to: &ring, from: stop) }
    for second in 10..<(10 + hidden) { try Self.add(second, 60, to: &ring, from: stop) }
    for second in (10 + hidden)..<(20 + hidden) { try Self.add(second, 120, to: &ring, from: stop) }
    let secret = try Self.position(60)
    ring.forget { $0.coordinate.distance(to: secret) < 10 }
    #expect(try Self.start(ring) == .seconds(began))
  }
}
