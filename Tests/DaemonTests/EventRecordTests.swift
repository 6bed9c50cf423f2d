import Chips
import Devices
import Foundation
import GNSSProtocol
import GNSSReceiver
import Quantities
import Records
import System
import Testing
import TextSnapshots
import Uplink
@testable import Daemon
@testable import Motion
import Store

/// The event of each notice: its kind, value, fields and sentence; and that every kind of event has a test.
@Suite struct EventRecordTests {
  struct Row {
    var event: EventRecord?
    var kind: EventKind
    var value: Int64?
  }

  /// Sentence and fields of each row.
  static let texts = TextSnapshot("events")

  static let now = Moment.zero + .seconds(1000)
  static let since = Moment.zero + .seconds(960)
  static let gone = SystemError(call: "open", subject: "/dev/ttyS0", number: 2)
  static let gauge = PartLocation(name: "max17048", path: "/dev/i2c-1", address: I2CAddress(0x36))
  static let accelerometer = PartLocation(name: "lis3dh", path: "/dev/i2c-1", address: I2CAddress(0x18))

  // MARK: Rows

  private static func line(_ notice: LineNotice, _ kind: EventKind, _ value: Int64? = nil) -> Row {
    Row(event: EventRecord(notice, port: "ttyS0", now: now), kind: kind, value: value)
  }

  private static func missing(dropped: Int) -> MissingEpochs {
    MissingEpochs(
      after: Timestamp(milliseconds: 1_795_862_400_000), before: Timestamp(milliseconds: 1_795_862_613_000),
      dropped: dropped)
  }

  static let receiver = [
    line(.dialogue(.found(speed: 9600)), .receiverFound, 9600),
    line(.dialogue(.found(speed: nil)), .receiverFound),
    line(.ended(.silent, lasted: .seconds(61)), .receiverFound),
    line(.lost(gone), .receiverLost),
    line(.lost(SystemError(call: "open", subject: "ttyS0", number: 16)), .receiverLost),
    line(.lost(SystemError(call: "open", subject: "ttyS0", number: 13)), .receiverLost),
    line(.lost(SystemError(call: "ioctl", subject: "ttyS0", number: 25)), .receiverLost),
    line(.lost(SystemError(call: "write", subject: "ttyS0", number: 110)), .receiverLost),
    line(.lost(SystemError(call: "read", subject: "ttyS0", number: 5)), .receiverLost),
    line(.began(.silent, .noBytes(since: since)), .receiverSilent, 40),
    line(.dialogue(.mute(hasSpeed: true)), .receiverSilent),
    line(.dialogue(.doesNotWake), .receiverSilent),
    line(.began(.unreadable, .bytesWithoutFrame(600, since: since)), .receiverGarbled),
    line(.began(.unreadable, .noEpoch(since: since)), .receiverGarbled),
    line(.dialogue(.garbled(hasSpeed: true)), .receiverGarbled),
    line(.dialogue(.garbled(hasSpeed: false)), .receiverGarbled),
    line(
      .dialogue(.identified(ReceiverIdentity(family: .ubloxKeys, module: "MAX-M10S", firmware: "SPG 5.10"))),
      .receiverIdentified),
    line(.dialogue(.notIdentified), .receiverIdentified),
    line(.dialogue(.configured(refused: 0, unanswered: 0)), .receiverConfigured, 0),
    line(.dialogue(.configured(refused: 1, unanswered: 2)), .receiverConfigured, 3),
    line(.dialogue(.cyclicModeFailed(command: "UBX-CFG-PM2")), .receiverConfigured),
    line(.dialogue(.cyclicModeFailed(command: nil)), .receiverConfigured),
    line(.dialogue(.batchingFailed(command: "UBX-CFG-BATCH")), .receiverConfigured),
    line(.dialogue(.speedChanged(from: 9600, to: 115_200)), .receiverSpeed, 115_200),
    line(.dialogue(.speedChangeFailed(target: 115_200, speed: 9600)), .receiverSpeed, 9600),
    line(.dialogue(.lostInSpeedChange(target: 115_200, speed: 9600)), .receiverSpeed),
    line(.dialogue(.restarted), .receiverRestarted),
    line(.began(.jammed, .jamming(.critical)), .receiverFault),
    line(.began(.spoofed, .spoofing(.indicated)), .receiverFault),
    line(.began(.spoofed, .spoofing(.multiple)), .receiverFault),
    line(.began(.antennaOpen, .antenna(.open)), .receiverFault),
    line(.began(.withoutFix, .noFix(for: .seconds(1800))), .receiverFault),
    line(.began(.frozen, .samePosition(speed: 7.6, since: since)), .receiverFault),
    line(.began(.frozen, .sameInstant(since: since)), .receiverFault),
    line(.began(.impossibleTime, .timeFellBack(by: .milliseconds(61_500))), .receiverFault),
    line(.began(.impossibleTime, .timeJumped(by: .milliseconds(61_500))), .receiverFault),
    line(.began(.impossibleTime, .timeStopped(since: since)), .receiverFault),
    line(.dialogue(.doesNotSleep(.noCommand)), .receiverFault),
    line(.dialogue(.doesNotSleep(.needsPin)), .receiverFault),
    line(.supplyRefused(SystemError(call: "open", subject: "/dev/gpiochip0", number: 13)), .receiverFault),
    line(.foreign(.sirfBinary), .receiverFault),
    line(.dialogue(.epochsLost(7)), .receiverFault, 7),
    line(.dialogue(.epochsMissing(missing(dropped: 209), count: 212)), .receiverFault, 209),
    line(.dialogue(.epochsMissing(missing(dropped: 0), count: 212)), .receiverFault, 212),
    line(.ended(.spoofed, lasted: .seconds(1840)), .receiverRecovered, 1840),
    line(.ended(.antennaShort, lasted: .seconds(70)), .receiverRecovered, 70),
    line(.remedy(.warmStart, against: .frozen), .receiverRecoveryStep),
    line(
      .backOff(.silent, tried: [.reopen, .powerCycle], until: now + .seconds(600)), .receiverRecoveryStep),
    line(.backOff(.withoutFix, tried: [], until: now + .seconds(1200)), .receiverRecoveryStep),
  ]

  private static func gauge(_ notice: GaugeSource.Notice, _ kind: EventKind, _ value: Int64? = nil) -> Row {
    Row(event: EventRecord(notice, of: gauge), kind: kind, value: value)
  }

  static let battery = [
    gauge(.lost("no answer"), .gaugeLost),
    gauge(.returned(after: .seconds(90)), .gaugeReturned, 90),
    gauge(.battery(.gaugeIsBack), .gaugeReturned),
    gauge(.battery(.gaugeFellSilent), .gaugeDoubtful),
    gauge(.battery(.gaugeWasReset), .gaugeDoubtful),
    gauge(.battery(.gaugeContradictsItself(percent: 81.27, cellVoltage: 3.1)), .gaugeDoubtful),
    gauge(.battery(.voltageDoesNotFit(voltage: 7.4, cells: 1)), .gaugeDoubtful),
    gauge(.battery(.chargerAttached), .chargerAttached),
    gauge(.battery(.chargerRemoved), .chargerRemoved),
    gauge(.battery(.full(percent: 99.6)), .batteryFull, 100),
    gauge(.battery(.full(percent: nil)), .batteryFull),
    gauge(.battery(.low(percent: 14.6, voltage: 3.512)), .batteryLow, 15),
    gauge(.battery(.supply(.under, voltage: 11.449)), .supplyUnder, 11_449),
    gauge(.battery(.supply(.over, voltage: 15.3)), .supplyOver, 15_300),
    gauge(.battery(.supply(.within, voltage: 12.6)), .supplyInRange, 12_600),
  ]

  private static func driven(_ kind: DrivingEvent.Kind, _ expected: EventKind) -> Row {
    let event = DrivingEvent(kind: kind, start: now, duration: .milliseconds(1260), peak: 4.27)
    return Row(event: EventRecord(event), kind: expected, value: 4270)
  }

  static let driving = [
    driven(.acceleration, .harshAcceleration), driven(.braking, .harshBraking),
    driven(.corneringLeft, .harshCornering), driven(.corneringRight, .harshCornering),
  ]

  static let movement = [
    Row(
      event: EventRecord(.returned(after: .seconds(5)), of: accelerometer), kind: .accelerometerReturned,
      value: 5),
    Row(event: EventRecord(ignition: true), kind: .ignitionOn),
    Row(event: EventRecord(ignition: false), kind: .ignitionOff),
    Row(
      event: EventRecord(ignitionLost: SystemError(call: "open", subject: "/dev/gpiochip0", number: 13)),
      kind: .ignitionLost),
  ]

  private static func delivery(_ report: DeliveryReport, _ kind: EventKind, _ value: Int64? = nil) -> Row {
    Row(event: EventRecord(report, of: "home"), kind: kind, value: value)
  }

  static let refusal = Refusal(
    .credentials, reason: "https://example.org: status 401; check the token and the account")

  static let sending = [
    delivery(.failing(refusal, isRetried: true), .deliveryFailing),
    delivery(.failing(refusal, isRetried: false), .deliveryFailing),
    delivery(.recovered(failures: 3), .deliveryRecovered),
    delivery(.setAside(RecordID(12), refusal, from: RecordID(10)), .recordSetAside, 12),
    delivery(
      .failing(
        Refusal(.unrouted, reason: "mqtt://h:1883: the broker has no subscriber for owntracks/a"),
        isRetried: true),
      .deliveryDoubtful),
    delivery(.unconfirmed("status 200 without confirmation"), .deliveryDoubtful),
    Row(event: EventRecord(dropped: 40, waitingFor: "home"), kind: .queueDropped, value: 40),
    Row(
      event: EventRecord(network: "network.up: left with status 1", failures: 2), kind: .networkFailing,
      value: 2),
    Row(event: EventRecord(network: nil, failures: 2), kind: .networkRecovered, value: 2),
    Row(
      event: EventRecord(notificationFailure: "/hook left with status 3", count: 5),
      kind: .notificationFailing, value: 5),
  ]

  static let storage = [
    Row(event: EventRecord(CommitLatency.Change.slow(.milliseconds(7300))), kind: .storageSlow, value: 7300),
    Row(event: EventRecord(CommitLatency.Change.quick(.milliseconds(30))), kind: .storageKeepsUp, value: 30),
    Row(event: EventRecord(volatile: "/run/outrider", on: "tmpfs"), kind: .storageVolatile),
  ]

  static let rows = receiver + battery + driving + movement + sending + storage

  @Test(arguments: rows.indices) func everyNoticeHasItsEvent(_ index: Int) throws {
    let row = Self.rows[index]
    let event = try #require(row.event)
    #expect(event.kind == row.kind)
    #expect(event.value == row.value)
    let number = Self.rows[..<index].count { $0.kind == row.kind } + 1
    let text = "\(event.line)\n\(event.fields.json)"
    #expect(text == Self.texts.expected("\(row.kind.rawValue) \(number)", text))
  }

  // MARK: All kinds

  /// The test function that checks that a kind is written; nil for kinds of the rows above.
  private static func witness(of kind: EventKind) -> String? {
    switch kind {
    case .started: "everyStartReportsHowThePreviousRunEnded"
    case .stopped: "recordsThatWaitForTheLogAreWrittenAtTheStop"
    case .identityChanged: "aCopyOfACardGetsAnIdentityOfItsOwn"
    case .configurationChanged: "aChangedConfigurationAppliesToNewRecordsOnly"
    case .configurationRefused: "aFaultyConfigurationIsRejectedAndTheOldOneStaysInForce"
    case .remoteApplied, .remoteProven: "validKeysAreAppliedProvenAndSavedAndInvalidOnesReported"
    case .remoteUnset: "anUnsetOfAServerIsANoticeAndNoRollback"
    case .remoteRolledBack: "aValueThatStopsSendingIsRolledBackIfTheServerFails"
    case .settingsRolledBack: "everyTrialThatIsNotConfirmedIsAnEventAlsoAfterARestart"
    case .receiverAsleep: "aStationaryReceiverSleepsWithinTwoMinutesAndTheLogHasTheReason"
    case .trackingPaused, .trackingResumed: "everyPauseIsLoggedOnceAtItsStartAndOnceAtItsEnd"
    case .hostSleeping, .hostWoke, .hostStaysAwake: "theNextRunReportsTheSleepAndChargesIt"
    case .wakeAlarmMissed: "aStartByTheDeadManTimerIsReportedAndNobodyIsExpected"
    case .powerManagerFailed: "aBoardThatDoesNotAnswerIsReportedAndKeepsTheHostUp"
    case .firstFix: "theFirstFixOfEveryStartIsReportedWithItsDuration"
    case .motionChanged: "aChangedMotionIsReportedOnceWithItsEvent"
    case .motionBegan, .motionEnded: "withoutAnAccelerometerFixesReportMotionAndStops"
    case .powerLevel: "aCriticalBatterySendsItsLastPositionOnly"
    case .powerBudget: "aBudgetLengthensTheCheckIntervalsAndSurvivesARestart"
    case .brownOut: "aBrownOutIsReportedOnceWhileItLasts"
    case .clockSet, .weekRepaired: "theWeekRepairIsLoggedOnceAndTheRecordsAreCorrect"
    case .dateRefused: "aRefusedDateIsReportedOnceADay"
    case .clockStepped: "aClockStepIsLoggedWithItsSizeUnlessItIsSmall"
    case .clockLost, .clockSourceChanged: "aLostClockSourceIsLoggedOnceAndSoIsItsReturn"
    case .tripStarted, .tripEnded: "everyTripHasOneStartAndOneEnd"
    case .gap: "aGapOfHoursWithADisplacementIsLogged"
    case .zoneEntered, .zoneLeft: "anAccessPointDistinguishesZonesOfOneNetwork"
    case .zoneDwelt: "dwellingIsReportedOnce"
    case .parkingMoved: "leavingTheParkingPositionIsAnEvent"
    case .overspeedStarted, .overspeedEnded, .idlingStarted, .idlingEnded, .towed:
      "everyDrivingEventOfADayHasItsEnd"
    case .heartbeat: "aLongTimeWithoutARecordIsAHeartbeat"
    case .fixesRejected: "aFrozenReceiverRecordsNoStopAndIsReported"
    case .fixesLeftOut: "aGapCausedByARuleIsExplainedInTheLog"
    case .logSalvaged: "aFileThatIsNotADatabaseIsSetAside"
    case .recordsMissing: "fullDisk"
    case .recordsDropped, .storageFailing, .storageRecovered:
      "aFullCardLosesNothingWhenItHasSpaceAgain"
    case .storageNearlyFull, .storageHasRoom: "aShortageOfSpaceIsReportedOnceUntilItEnds"
    case .updated, .updateRolledBack: "theOutcomeOfATrialIsAnEvent"
    case .accessRefused: "wrongTokensAreDelayedAndBecomeOneEvent"
    case .storageWearing: "wearIsReportedOnceForEachLevel"
    case .queueRewound: "aServerThatLostRecordsGetsThemAgainOnce"
    case .backlogOver, .backlogUnder: "aBacklogOfEveryDestinationIsReportedOnceUntilItEnds"
    case .accelerometerLost: "aRegisterThatReadsZeroSuggestsAStuckDataLine"
    case .accelerometerDoubtful: "faultsAreEventsThatNameTheChip"
    case .receiverFound, .receiverLost, .receiverSilent, .receiverGarbled, .receiverIdentified,
      .receiverConfigured, .receiverSpeed, .receiverRestarted, .receiverFault, .receiverRecovered,
      .receiverRecoveryStep, .gaugeLost, .gaugeReturned, .gaugeDoubtful, .accelerometerReturned, .ignitionOn,
      .ignitionOff, .ignitionLost, .chargerAttached, .chargerRemoved, .batteryFull, .batteryLow,
      .supplyUnder, .supplyOver, .supplyInRange, .harshAcceleration, .harshBraking, .harshCornering,
      .storageSlow, .storageKeepsUp, .storageVolatile, .deliveryFailing, .deliveryRecovered,
      .recordSetAside, .deliveryDoubtful, .networkFailing, .networkRecovered, .queueDropped,
      .notificationFailing:
      nil
    }
  }

  /// The sources of all tests except this one and the list of notified events.
  private static func sources() throws -> [String] {
    let here = URL(fileURLWithPath: #filePath)
    let tests = here.deletingLastPathComponent().deletingLastPathComponent()
    let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    return try files.compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" }
      .filter { ![here.lastPathComponent, "NotificationTests.swift"].contains($0.lastPathComponent) }
      .map { try String(contentsOf: $0, encoding: .utf8) }
  }

  @Test func everyKindHasATest() throws {
    let rows = Set(Self.rows.map { (row: Row) in row.kind })
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
