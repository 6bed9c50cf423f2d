import Chips
import Devices
import Foundation
import GNSS
@testable import Motion
import Quantities
import Records
import SystemLoop
import Testing
import Uplink

@testable import Daemon
@testable import Store

/// What the log says of each notice, to the letter, and that no kind of event goes without a test.
@Suite struct EventRecordTests {
  struct Row {
    var event: EventRecord?
    var kind: EventKind
    var detail: String
    var value: Int64?
  }

  static let now = Moment.zero + .seconds(1000)
  static let since = Moment.zero + .seconds(960)
  static let gone = SystemError(call: "open", subject: "/dev/ttyS0", number: 2)
  static let gauge = PartPlace(name: "max17048", path: "/dev/i2c-1", address: I2CAddress(0x36))
  static let accelerometer = PartPlace(name: "lis3dh", path: "/dev/i2c-1", address: I2CAddress(0x18))

  // MARK: Rows

  private static func line(
    _ notice: LineNotice, _ kind: EventKind, _ detail: String, _ value: Int64? = nil
  ) -> Row {
    Row(event: EventRecord(notice, port: "ttyS0", now: now), kind: kind, detail: detail, value: value)
  }

  static let receiver = [
    line(.dialogue(.found(speed: 9600)), .receiverFound, "ttyS0: valid frames at 9600 baud", 9600),
    line(.dialogue(.found(speed: nil)), .receiverFound, "ttyS0: valid frames"),
    line(.ended(.silent, lasted: .seconds(61)), .receiverFound, "ttyS0: speaks again after 61 s"),
    line(
      .lost(gone), .receiverLost,
      "/dev/ttyS0: open: No such file or directory; check receiver.port and the cable, it is tried again all the time"
    ),
    line(.began(.silent, .noBytes(since: since)), .receiverSilent, "ttyS0: nothing for 40 s", 40),
    line(
      .dialogue(.doesNotWake), .receiverSilent, "ttyS0: the receiver does not wake; it is searched for"),
    line(
      .began(.unreadable, .bytesWithoutFrame(600, since: since)), .receiverGarbled,
      "ttyS0: bytes but no valid frame (600 bytes in 40 s); check the wiring and receiver.speed"),
    line(
      .dialogue(.identified(ReceiverIdentity(family: .ubloxKeys, module: "MAX-M10S", firmware: "SPG 5.10"))),
      .receiverIdentified, "ttyS0: MAX-M10S, firmware SPG 5.10, \(ReceiverFamily.ubloxKeys.rawValue)"),
    line(.dialogue(.configured(refused: 0, unanswered: 0)), .receiverConfigured, "ttyS0: set up", 0),
    line(
      .dialogue(.configured(refused: 1, unanswered: 2)), .receiverConfigured,
      "ttyS0: set up, but for 3 commands that it did not take", 3),
    line(
      .dialogue(.speedChanged(from: 9600, to: 115_200)), .receiverSpeed,
      "ttyS0: from 9600 to 115200 baud", 115_200),
    line(
      .dialogue(.speedChangeFailed(wanted: 115_200, speed: 9600)), .receiverSpeed,
      "ttyS0: 115200 baud cannot be used; it stays at 9600", 9600),
    line(.dialogue(.restarted), .receiverRestarted, "ttyS0: it is set up again"),
    line(
      .began(.jammed, .jamming(.critical)), .receiverTrouble,
      "ttyS0: the receiver is jammed: the receiver says critical"),
    line(
      .began(.spoofed, .spoofing(.indicated)), .receiverTrouble,
      "ttyS0: the receiver suspects forged signals: spoofing is indicated; positions and times may be false"),
    line(
      .began(.spoofed, .spoofing(.multiple)), .receiverTrouble,
      "ttyS0: the receiver suspects forged signals: spoofing is indicated by several signs; positions and times may "
        + "be false"),
    line(
      .began(.antennaOpen, .antenna(.open)), .receiverTrouble,
      "ttyS0: no antenna: the antenna's supervisor says open"),
    line(
      .began(.withoutFix, .noFix(for: .seconds(1800))), .receiverTrouble,
      "ttyS0: no fix: none for 1800 s; check the antenna and its view of the sky"),
    line(
      .began(.frozen, .samePosition(speed: 7.6, since: since)), .receiverTrouble,
      "ttyS0: the receiver stands still: the same position for 40 s at 8 m/s"),
    line(
      .began(.impossibleTime, .timeFellBack(by: .milliseconds(61_500))), .receiverTrouble,
      "ttyS0: the receiver's time is impossible: it fell back by 61500 ms"),
    line(.dialogue(.epochsLost(7)), .receiverTrouble, "ttyS0: 7 epochs that the receiver kept are lost", 7),
    line(
      .ended(.spoofed, lasted: .seconds(1840)), .receiverRecovered,
      "ttyS0: over after 1840 s: the receiver suspects forged signals", 1840),
    line(
      .ended(.antennaShort, lasted: .seconds(70)), .receiverRecovered,
      "ttyS0: over after 70 s: the antenna's line has a short", 70),
    line(
      .remedy(.warmStart, against: .frozen), .receiverRemedy,
      "ttyS0: the receiver stands still: it was started warm"),
    line(
      .rest(.silent, tried: [.reopen, .powerCycle], until: now + .seconds(600)), .receiverRemedy,
      "ttyS0: the receiver is silent, in spite of: the port was opened anew, its supply was cut for a moment; look at "
        + "the receiver, its cable and antenna; tried again in 600 s"),
    line(
      .rest(.withoutFix, tried: [], until: now + .seconds(1200)), .receiverRemedy,
      "ttyS0: no fix, in spite of: nothing can be tried; look at the receiver, its cable and antenna; tried again in "
        + "1200 s"),
  ]

  private static func gauge(
    _ notice: GaugeSource.Notice, _ kind: EventKind, _ detail: String, _ value: Int64? = nil
  ) -> Row {
    Row(event: EventRecord(notice, of: gauge), kind: kind, detail: detail, value: value)
  }

  private static let at = "max17048 at 0x36 of /dev/i2c-1: "
  static let battery = [
    gauge(
      .lost("no answer"), .gaugeLost,
      at + "no answer; it is looked for all the time, and the last charge stands until it is too old"),
    gauge(.returned(after: .seconds(90)), .gaugeReturned, at + "answers again after 90 s", 90),
    gauge(.battery(.gaugeIsBack), .gaugeReturned, at + "gives readings again"),
    gauge(.battery(.gaugeFellSilent), .gaugeDoubtful, at + "no reading for too long"),
    gauge(
      .battery(.gaugeWasReset), .gaugeDoubtful, at + "was without supply and learns the battery anew"),
    gauge(.battery(.chargerAttached), .chargerAttached, ""),
    gauge(.battery(.chargerRemoved), .chargerRemoved, ""),
    gauge(.battery(.full(percent: 99.6)), .batteryFull, "100 %", 100),
    gauge(.battery(.full(percent: nil)), .batteryFull, ""),
    gauge(.battery(.low(percent: 14.6, voltage: 3.512)), .batteryLow, "15 %, 3.51 V", 15),
    gauge(
      .battery(.supply(.under, voltage: 11.449)), .supplyUnder, at + "11.45 V, less than power.under_V",
      11_449),
    gauge(
      .battery(.supply(.over, voltage: 15.3)), .supplyOver, at + "15.3 V, more than power.over_V", 15_300),
    gauge(.battery(.supply(.within, voltage: 12.6)), .supplyInRange, at + "12.6 V, as it is to be", 12_600),
  ]

  private static func driven(
    _ kind: DrivingEvent.Kind, _ expected: EventKind, _ detail: String, _ value: Int64
  ) -> Row {
    let event = DrivingEvent(kind: kind, start: now, duration: .milliseconds(1260), peak: 4.27)
    return Row(event: EventRecord(event), kind: expected, detail: detail, value: value)
  }

  static let driving = [
    driven(.acceleration, .harshAcceleration, "4.3 m/s² for 1.3 s", 4270),
    driven(.braking, .harshBraking, "4.3 m/s² for 1.3 s", 4270),
    driven(.corneringLeft, .harshCornering, "left, 4.3 m/s² for 1.3 s", 4270),
    driven(.corneringRight, .harshCornering, "right, 4.3 m/s² for 1.3 s", 4270),
  ]

  static let movement = [
    Row(
      event: EventRecord(.returned(after: .seconds(5)), of: accelerometer), kind: .accelerometerReturned,
      detail: "lis3dh at 0x18 of /dev/i2c-1: answers again after 5 s", value: 5),
    Row(event: EventRecord(ignition: true), kind: .ignitionOn, detail: "", value: nil),
    Row(event: EventRecord(ignition: false), kind: .ignitionOff, detail: "", value: nil),
    Row(
      event: EventRecord(ignitionLost: SystemError(call: "open", subject: "/dev/gpiochip0", number: 13)),
      kind: .ignitionLost,
      detail:
        "/dev/gpiochip0: open: Permission denied; check lines.ignition, and that the user is in the group gpio",
      value: nil),
  ]

  private static func delivery(
    _ report: DeliveryReport, _ kind: EventKind, _ detail: String, _ value: Int64? = nil
  )
    -> Row
  {
    Row(
      event: EventRecord(report, of: "home"), kind: kind, detail: "destination home: " + detail, value: value)
  }

  static let refusal = Refusal(
    .credentials, reason: "https://example.org: status 401; check the token and the account")

  static let sending = [
    delivery(
      .failing(refusal), .deliveryFailing,
      "https://example.org: status 401; check the token and the account; the records are kept and sent again"),
    delivery(
      .recovered(failures: 3), .deliveryRecovered, "takes records again after 3 failed attempts"),
    delivery(
      .setAside(RecordID(12), refusal), .recordSetAside,
      "record 12 is set aside, for the server refuses it alone and takes others: \(refusal.reason)", 12),
    delivery(
      .failing(Refusal(.unrouted, reason: "mqtt://h:1883: the broker has no subscriber for owntracks/a")),
      .deliveryDoubtful,
      "mqtt://h:1883: the broker has no subscriber for owntracks/a; the records are kept and sent again"),
    delivery(
      .odd("status 200 and no word"), .deliveryDoubtful,
      "status 200 and no word; check that the server keeps what it is sent"),
    Row(
      event: EventRecord(dropped: 40, waitingFor: "home"), kind: .queueDropped,
      detail: "destination home: 40 records are not sent there any more; they stay in the log", value: 40),
    Row(
      event: EventRecord(network: "network.up: left with status 1", failures: 2), kind: .networkFailing,
      detail:
        "network.up: left with status 1; what waits is tried all the same, see network.up, network.down and "
        + "network.rfkill", value: 2),
    Row(event: EventRecord(network: nil, failures: 2), kind: .networkRecovered, detail: "", value: 2),
    Row(
      event: EventRecord(notificationFailure: "/hook left with status 3", count: 5),
      kind: .notificationFailing, detail: "notifications: /hook left with status 3", value: 5),
  ]

  static let storage = [
    Row(
      event: EventRecord(CommitPace.Change.slow(.milliseconds(7300))), kind: .storageSlow,
      detail: "a group of records took 7300 ms to be written; is the card worn out?", value: 7300),
    Row(
      event: EventRecord(CommitPace.Change.quick(.milliseconds(30))), kind: .storageKeepsUp,
      detail: "groups of records are written quickly again", value: 30),
    Row(
      event: EventRecord(volatile: "/run/outrider", on: "tmpfs"), kind: .storageVolatile,
      detail: "/run/outrider is on tmpfs: the log does not outlive a power cut (storage.allow_volatile)",
      value: nil),
  ]

  static let rows = receiver + battery + driving + movement + sending + storage

  @Test(arguments: rows.indices) func aNoticeIsThisEvent(_ index: Int) throws {
    let row = Self.rows[index]
    let event = try #require(row.event)
    #expect(event.kind == row.kind)
    #expect(event.detail == row.detail)
    #expect(event.value == row.value)
    #expect(event.line.hasPrefix(row.kind.rawValue.split(separator: "_").joined(separator: " ")))
  }

  // MARK: The closed list

  /// The test that sees a kind written, where that is no row above: a function of the tests that also names the kind.
  private static func witness(of kind: EventKind) -> String? {
    switch kind {
    case .started: "eachStartOfALoggerTellsHowTheOneBeforeEnded"
    case .stopped: "whatWaitsForAnUnopenedLogIsWrittenAtTheEnd"
    case .configurationChanged: "aGoodConfigurationComesIntoForceForNewRecordsOnly"
    case .configurationRefused: "aBadConfigurationIsRefusedAndTheOldOneGoesOn"
    case .remoteApplied, .remoteProved: "goodKeysAreTakenProvedAndKeptAndBadOnesNamed"
    case .remoteWentBack: "aBoxThatIsSilencedByADeadServerComesBackByItself"
    case .receiverResting: "aBoxAtRestIsAsleepWithinTwoMinutesAndTheLogSaysWhy"
    case .trackingPaused, .trackingResumed: "eachPauseIsToldOnceWhenItBeginsAndOnceWhenItEnds"
    case .hostSleeping, .hostWoke, .hostStaysUp: "theNextLoggerExplainsTheGapAndChargesIt"
    case .firstFix: "theFirstFixOfEachStartIsToldWithItsSeconds"
    case .motionChanged: "anotherMotionIsToldOnceWithItsEvent"
    case .motionBegan, .motionEnded: "withoutAnAccelerometerTheFixesTellOfMotionAndRest"
    case .powerLevel: "aCriticalBatterySendsItsLastPositionAndThenNothing"
    case .powerBudget: "aBudgetSpacesOutTheChecksAndOutlivesARestart"
    case .brownOut: "aBrownOutIsSaidOnceWhileTheBoardTellsOfIt"
    case .clockSet, .weekRepaired: "theRepairIsSaidOnceAndTheRecordsAreRight"
    case .clockStepped: "aStepIsSaidWithItsSizeAndASmallOneIsNot"
    case .clockLost, .clockSourceChanged: "aClockLeftToTheMachineIsToldOnceAndSoIsTheReceiversReturn"
    case .tripStarted, .tripEnded: "eachTripHasOneStartAndOneEnd"
    case .gap: "aGapOfHoursWithADisplacementIsToldAsOne"
    case .zoneEntered, .zoneLeft: "anAccessPointTellsZonesOfOneNetworkApart"
    case .zoneDwelt: "dwellingIsToldOnce"
    case .parkingMoved: "leavingTheCircleOfParkingIsAnEvent"
    case .overspeedStarted, .overspeedEnded, .idlingStarted, .idlingEnded, .towed: "aDayTellsEachWithItsEnd"
    case .heartbeat: "aLongSilenceOfRulesIsAHeartbeat"
    case .fixesRejected: "aFrozenReceiverDrawsNoStandstillAndIsTold"
    case .fixesLeftOut: "aPauseThatARuleMakesHasItsReasonInTheLog"
    case .logSalvaged: "aFileThatIsNoDatabaseIsSetAside"
    case .recordsMissing: "fullDisk"
    case .recordsDropped, .storageFailing, .storageRecovered:
      "aCardThatIsFullOnTheWayToWorkTakesEverythingOnceThereIsRoom"
    case .storageNearlyFull, .storageHasRoom: "whatWillSoonBeDroppedIsSaidOnceUntilThereIsRoom"
    case .backlogOver, .backlogUnder: "aBacklogIsSaidOnceForEachDestinationUntilFarFewerWait"
    case .accelerometerLost: "aRegisterThatReadsAsZeroHintsAtTheDataLine"
    case .accelerometerDoubtful: "whatIsWrongIsAnEventThatNamesThePart"
    case .receiverFound, .receiverLost, .receiverSilent, .receiverGarbled, .receiverIdentified,
      .receiverConfigured, .receiverSpeed, .receiverRestarted, .receiverTrouble, .receiverRecovered,
      .receiverRemedy, .gaugeLost, .gaugeReturned, .gaugeDoubtful, .accelerometerReturned, .ignitionOn,
      .ignitionOff, .ignitionLost, .chargerAttached, .chargerRemoved, .batteryFull, .batteryLow,
      .supplyUnder, .supplyOver, .supplyInRange, .harshAcceleration, .harshBraking, .harshCornering,
      .storageSlow, .storageKeepsUp, .storageVolatile, .deliveryFailing, .deliveryRecovered,
      .recordSetAside, .deliveryDoubtful, .networkFailing, .networkRecovered, .queueDropped,
      .notificationFailing:
      nil
    }
  }

  /// The sources of all tests but this one and the list of what `notifications` hear.
  private static func sources() throws -> [String] {
    let here = URL(fileURLWithPath: #filePath)
    let tests = here.deletingLastPathComponent().deletingLastPathComponent()
    let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    return try files.compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" }
      .filter { ![here.lastPathComponent, "NotificationTests.swift"].contains($0.lastPathComponent) }
      .map { try String(contentsOf: $0, encoding: .utf8) }
  }

  @Test func noKindGoesWithoutATest() throws {
    let rows = Set(Self.rows.map(\.kind))
    let sources = try Self.sources()
    for kind in EventKind.allCases {
      guard let name = Self.witness(of: kind) else {
        #expect(rows.contains(kind), "\(kind) is in no row")
        continue
      }
      let words = [".\(kind)", "\"\(kind.rawValue)\""]
      let isSeen = sources.contains { text in
        text.contains("func \(name)(") && words.contains { text.contains($0) }
      }
      #expect(isSeen, "\(kind): no test \(name) names it")
    }
  }
}
