import Quantities
import Records
import Scheduling
import Testing

/// Which notifications a hook gets, and when.
@Suite struct NotificationGateTests {
  typealias Item = Scheduling.Notification

  /// A gate whose decisions can be expected.
  final class Hook {
    private var gate: NotificationGate

    init(_ gate: NotificationGate) { self.gate = gate }

    var heldCount: Int { gate.heldCount }
    var heldRecords: [Int64] { gate.heldRecords.ids }
    var others: Int { gate.heldRecords.more }
    var nextTimeout: Moment? { gate.nextTimeout }

    func add(_ item: Item, now: Moment, clock: NotificationGate.Clock?) -> NotificationMessage? {
      gate.add(item, now: now, clock: clock)
    }

    func restore(
      _ earlier: [Item], more: Int = 0, now: Moment, clock: NotificationGate.Clock?
    ) -> NotificationMessage? {
      gate.restore(earlier, more: more, now: now, clock: clock)
    }

    func handleTimeout(now: Moment, clock: NotificationGate.Clock?) -> NotificationMessage? {
      gate.handleTimeout(now: now, clock: clock)
    }
  }

  static func item(_ kind: EventKind, _ fields: EventFields = [:]) -> Item {
    Item(EventRecord(kind, fields), json: Array("{}".utf8))
  }

  static func visit(isOver: Bool) throws -> Item {
    let coordinate = try #require(Coordinate(latitudeE7: 525_200_000, longitudeE7: 134_000_000))
    var visit = VisitRecord(coordinate: coordinate, arrival: nil, device: DeviceState(deviceID: "van"))
    if isOver { visit.departure = .boot(.zero) }
    return Item(visit, json: [])
  }

  static func gate(
    _ kinds: Set<String> = [], quiet: String? = nil, atMost: (Int, Duration)? = nil, isPlain: Bool = false,
    host: String? = nil
  ) -> Hook {
    var rules = NotificationRules()
    rules.kinds = kinds
    rules.quiet = quiet.flatMap(QuietHours.init)
    rules.limit = atMost.map { NotificationRules.Limit(count: $0.0, period: $0.1) }
    rules.hasFinal = !isPlain
    rules.host = host
    return Hook(NotificationGate(rules))
  }

  static func clock(_ time: String) throws -> NotificationGate.Clock {
    NotificationGate.Clock(
      time: try #require(Timestamp(iso8601: time)), aheadOfUTC: QuietHoursTests.berlin)
  }

  static func at(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

  // MARK: Kinds

  @Test func withoutAChoiceTheUsualKindsAreNotified() {
    let admitted = EventKind.allCases.filter { kind in
      let gate = Self.gate()
      return gate.add(Self.item(kind), now: .zero, clock: nil) != nil
    }
    #expect(admitted == EventKind.allCases.filter { $0.definition.effects.contains(.notifies) })
  }

  /// The kinds that a group notifies if each occurs once; ends of faults need their beginning.
  static let chosen: [(kinds: Set<String>, admitted: [EventKind])] = [
    (["trips"], [.tripStarted, .tripEnded]),
    (["zones"], [.zoneEntered, .zoneLeft, .zoneDwelt]),
    (["receiver"], [.receiverLost, .receiverSilent, .receiverGarbled, .receiverFault]),
    (["receiver_lost"], [.receiverLost]), (["receiver_remedy"], [.receiverRecoveryStep]),
    (
      ["driving"],
      [
        .harshAcceleration, .harshBraking, .harshCornering, .overspeedStarted, .overspeedEnded,
        .idlingStarted,
        .idlingEnded,
      ]
    ),
    (["visits"], []),
    (["clock", "clock_set"], [.clockSet, .clockStepped, .clockLost, .weekRepaired, .dateRefused]),
    (
      ["settings"],
      [.configurationRefused, .settingsRolledBack, .remoteRolledBack, .updateRolledBack, .accessRefused]
    ),
    (
      ["motion"],
      [
        .accelerometerLost, .accelerometerDoubtful, .ignitionOn, .ignitionOff, .ignitionLost, .trackingPaused,
        .trackingResumed, .parkingMoved, .towed,
      ]
    ),
  ]

  @Test(arguments: chosen) func aChoiceIsByGroupOrKind(kinds: Set<String>, admitted: [EventKind]) {
    let found = EventKind.allCases.filter { kind in
      let gate = Self.gate(kinds)
      return gate.add(Self.item(kind), now: .zero, clock: nil) != nil
    }
    #expect(found.map(\.rawValue).sorted() == admitted.map(\.rawValue).sorted())
  }

  @Test func visitsAreAGroup() throws {
    for (kinds, expected): (Set<String>, [Bool]) in [
      ([], [true, true]), (["visits"], [true, true]), (["visit_left"], [false, true]),
      (["trips"], [false, false]),
    ] {
      let gate = Self.gate(kinds)
      let found = try [false, true].map {
        gate.add(try Self.visit(isOver: $0), now: .zero, clock: nil) != nil
      }
      #expect(found == expected, "\(kinds)")
    }
  }

  // MARK: Lasting faults

  @Test func aFaultIsNotifiedAtItsStartAndItsEnd() {
    let gate = Self.gate(["receiver"])
    let sequence: [(EventKind, Bool)] = [
      (.receiverFound, false), (.receiverLost, true), (.receiverLost, false), (.receiverSilent, false),
      (.receiverRecoveryStep, false), (.receiverFound, true), (.receiverRecovered, false),
      (.receiverFault, true),
      (.receiverRecovered, true),
    ]
    for (kind, isNotified) in sequence {
      #expect((gate.add(Self.item(kind), now: .zero, clock: nil) != nil) == isNotified, "\(kind)")
    }
  }

  @Test func theEndOfANamedFaultBelongsToIt() {
    let gate = Self.gate(["receiver_lost"])
    #expect(gate.add(Self.item(.receiverFound), now: .zero, clock: nil) == nil)
    #expect(gate.add(Self.item(.receiverLost), now: .zero, clock: nil) != nil)
    #expect(gate.add(Self.item(.receiverFound), now: .zero, clock: nil) != nil)
  }

  @Test func everyDestinationHasItsOwnFault() {
    let gate = Self.gate(["delivery"])
    let sequence: [(EventKind, String, Bool)] = [
      (.deliveryFailing, "a", true), (.deliveryFailing, "b", true), (.deliveryFailing, "a", false),
      (.deliveryRecovered, "a", true), (.deliveryRecovered, "a", false), (.deliveryRecovered, "b", true),
    ]
    for (kind, name, isNotified) in sequence {
      let item = Self.item(kind, [.destination: .text(name)])
      #expect((gate.add(item, now: .zero, clock: nil) != nil) == isNotified, "\(kind) \(name)")
    }
  }

  @Test func aFailingServerIsNotNotifiedOfItself() {
    var item = Self.item(.deliveryFailing, [.destination: "a"])
    item.host = "example.org"
    for (host, isNotified) in [("example.org", false), ("ntfy.sh", true), (nil, true)] as [(String?, Bool)] {
      let gate = Self.gate(["delivery"], host: host)
      #expect((gate.add(item, now: .zero, clock: nil) != nil) == isNotified)
      #expect(
        (gate.add(Self.item(.deliveryRecovered, [.destination: "a"]), now: .zero, clock: nil) != nil)
          == isNotified,
        "no end without a start")
    }
  }

  // MARK: Quiet hours

  @Test func quietHoursEndWithOneMessage() throws {
    let gate = Self.gate(["receiver", "zones"], quiet: "22:00-06:00")
    let night = try Self.clock("2026-01-10T23:00:00Z")
    #expect(gate.add(Self.item(.receiverLost), now: Self.at(0), clock: night) == nil)
    #expect(gate.add(Self.item(.zoneLeft), now: Self.at(1), clock: night) == nil)
    #expect(gate.heldCount == 2 && gate.nextTimeout == Self.at(1) + .seconds(6 * 3600))
    #expect(gate.handleTimeout(now: Self.at(60), clock: night) == nil, "not due")
    let due = try #require(gate.nextTimeout)
    let message = gate.handleTimeout(now: due, clock: try Self.clock("2026-01-11T05:00:00Z"))
    #expect(message?.notifications.map(\.kind) == ["receiver_lost", "zone_left"] && message?.more == 0)
    #expect(gate.heldCount == 0 && gate.nextTimeout == nil)
  }

  @Test func aClockThatWasSetIsReadAgainAtTheEnd() throws {
    let gate = Self.gate(["zones"], quiet: "22:00-06:00")
    _ = gate.add(Self.item(.zoneLeft), now: .zero, clock: try Self.clock("2026-01-10T23:00:00Z"))
    let due = try #require(gate.nextTimeout)
    #expect(gate.handleTimeout(now: due, clock: try Self.clock("2026-01-11T04:00:00Z")) == nil)
    #expect(gate.nextTimeout == due + .seconds(3600))
    #expect(
      gate.handleTimeout(now: due + .seconds(3600), clock: try Self.clock("2026-01-11T05:00:00Z")) != nil)
  }

  @Test func withoutADateNothingIsQuiet() {
    let gate = Self.gate(quiet: "00:00-23:59")
    #expect(gate.add(Self.item(.zoneLeft), now: .zero, clock: nil) != nil)
  }

  // MARK: A restart

  @Test func theRecordsOfWhatIsHeldAreKnownAndTheOthersCounted() throws {
    let gate = Self.gate(["zones"], quiet: "22:00-06:00")
    let night = try Self.clock("2026-01-10T23:00:00Z")
    for id in 1...10 as ClosedRange<Int64> {
      var item = Self.item(.zoneLeft)
      item.record = id == 10 ? nil : id
      _ = gate.add(item, now: .zero, clock: night)
    }
    #expect(gate.heldRecords == [3, 4, 5, 6, 7, 8, 9] && gate.others == 3)
  }

  @Test func whatAnEarlierRunHeldComesAtTheEndOfTheQuietHours() throws {
    let gate = Self.gate(["receiver"], quiet: "22:00-06:00")
    let night = try Self.clock("2026-01-10T23:00:00Z")
    #expect(gate.restore([Self.item(.receiverLost)], more: 3, now: .zero, clock: night) == nil)
    #expect(gate.add(Self.item(.receiverLost), now: Self.at(1), clock: night) == nil)
    #expect(gate.heldCount == 4, "the fault has begun before the restart")
    #expect(gate.add(Self.item(.receiverFound), now: Self.at(2), clock: night) == nil)
    let due = try #require(gate.nextTimeout)
    let message = gate.handleTimeout(now: due, clock: try Self.clock("2026-01-11T05:00:00Z"))
    #expect(message?.notifications.map(\.kind) == ["receiver_lost", "receiver_found"] && message?.more == 3)
  }

  @Test func withoutADateWhatWasHeldWaitsTenMinutes() throws {
    let gate = Self.gate(["zones"], quiet: "22:00-06:00")
    #expect(gate.restore([Self.item(.zoneLeft)], now: .zero, clock: nil) == nil)
    #expect(gate.add(Self.item(.zoneEntered), now: Self.at(1), clock: nil) == nil && gate.heldCount == 2)
    #expect(gate.nextTimeout == Self.at(600))
    let night = try Self.clock("2026-01-10T23:00:00Z")
    #expect(gate.handleTimeout(now: Self.at(600), clock: night) == nil, "it is night")
    let other = Self.gate(["zones"], quiet: "22:00-06:00")
    _ = other.restore([Self.item(.zoneLeft)], now: .zero, clock: nil)
    #expect(other.handleTimeout(now: Self.at(600), clock: nil)?.notifications.count == 1)
    let day = Self.gate(["zones"], quiet: "22:00-06:00")
    let noon = try Self.clock("2026-01-10T11:00:00Z")
    #expect(day.restore([Self.item(.zoneLeft)], now: .zero, clock: noon)?.notifications.count == 1)
    #expect(day.restore([], more: 0, now: .zero, clock: noon) == nil)
  }

  // MARK: The limit

  @Test func moreThanTheLimitIsCombined() throws {
    let gate = Self.gate(atMost: (2, .seconds(600)))
    var sent: [Int64: Int] = [:]
    for second in 0..<100 as Range<Int64> {
      if let message = gate.add(Self.item(.zoneLeft), now: Self.at(second), clock: nil) {
        sent[second] = message.notifications.count + message.more
      }
    }
    #expect(sent == [0: 1, 1: 1])
    #expect(gate.heldCount == 98 && gate.nextTimeout == Self.at(600))
    let message = try #require(gate.handleTimeout(now: Self.at(600), clock: nil))
    #expect(message.notifications.count == NotificationGate.mostHeld)
    #expect(message.more == 98 - NotificationGate.mostHeld)
    #expect(
      gate.add(Self.item(.zoneLeft), now: Self.at(600), clock: nil) == nil, "one of the two at 1 s counts")
    #expect(gate.add(Self.item(.zoneLeft), now: Self.at(601), clock: nil)?.notifications.count == 2)
  }

  @Test func warningsAreKeptInAFlood() throws {
    let gate = Self.gate(["zones", "receiver"], quiet: "22:00-06:00")
    let night = try Self.clock("2026-01-10T23:00:00Z")
    _ = gate.add(Self.item(.receiverLost), now: .zero, clock: night)
    for _ in 0..<1000 { _ = gate.add(Self.item(.zoneLeft), now: .zero, clock: night) }
    let due = try #require(gate.nextTimeout)
    let message = try #require(gate.handleTimeout(now: due, clock: try Self.clock("2026-01-11T05:00:00Z")))
    #expect(message.notifications.first?.kind == "receiver_lost")
    #expect(message.notifications.count == NotificationGate.mostHeld)
    #expect(message.more == 1001 - NotificationGate.mostHeld)
  }

  // MARK: The last word

  @Test func theLastWordIsNeitherHeldBackNorLimited() throws {
    let gate = Self.gate(quiet: "22:00-06:00", atMost: (1, .seconds(3600)))
    let night = try Self.clock("2026-01-10T23:00:00Z")
    _ = gate.add(Self.item(.zoneLeft), now: .zero, clock: night)
    var last = Self.item(.powerLevel, [.level: "critical"])
    last.isFinal = true
    let message = try #require(gate.add(last, now: .zero, clock: night))
    #expect(message.isFinal && message.notifications.map(\.kind) == ["zone_left", "power_level"])
    #expect(gate.heldCount == 0 && gate.nextTimeout == nil)
  }

  static let finals: [(kinds: Set<String>, isPlain: Bool, isNotified: Bool)] = [
    ([], false, true), ([], true, false), (["power"], false, true), (["settings"], false, true),
    (["stopped"], false, true), (["trips"], false, false),
  ]
  @Test(arguments: finals)
  func theEndOfTheLoggerIsForHooksWithPowerOrSettings(kinds: Set<String>, isPlain: Bool, isNotified: Bool) {
    let gate = Self.gate(kinds, isPlain: isPlain)
    var last = Self.item(.stopped)
    last.isFinal = true
    #expect((gate.add(last, now: .zero, clock: nil) != nil) == isNotified)
  }
}
