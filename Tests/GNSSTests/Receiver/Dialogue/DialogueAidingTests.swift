import Quantities
import Simulation
import Testing
import GNSSProtocol
import GNSSReceiver

/// Time and position aiding for a receiver that starts.
@Suite struct DialogueAidingTests {
  static let utc = ModuleOptions().utc
  static let berlin = Coordinate(latitude: 52.52, longitude: 13.405)

  static func time(error: Duration = .milliseconds(50), at moment: Moment = .zero) -> StartAid.Time {
    StartAid.Time(utc: utc + (moment - .zero), error: error, at: moment)
  }

  static func knownPosition(error: Double = 100, at moment: Moment = .zero) -> StartAid.KnownPosition? {
    berlin.map { StartAid.KnownPosition(position: $0, altitude: 80, error: error, at: moment) }
  }

  static var aid: StartAid { StartAid(time: time(), knownPosition: knownPosition()) }

  /// A module without any data, whose start is fast with aiding.
  static func cold(
    _ model: ModuleModel, hasReception: Bool = true, setUp: SetUp? = DialogueStation.setUp,
    _ change: (inout ModuleOptions) -> Void = { _ in }
  ) -> DialogueStation {
    var station = DialogueStation(model, setUp: setUp) {
      $0.firstStart = .cold
      $0.starts.cold = .seconds(90)
      $0.starts.warm = .seconds(10)
      change(&$0)
    }
    station.module.setReception(hasReception, now: .zero)
    return station
  }

  /// The names of the aiding commands among the written bytes, in order.
  static func sentAiding(_ log: [(moment: Moment, bytes: [UInt8])]) -> [String] {
    log.compactMap { _, bytes in
      let text = String(decoding: bytes.dropFirst().prefix(7), as: UTF8.self)
      if ["PMTK740", "PMTK741", "PAIR590", "PAIR600"].contains(text) { return text }
      guard bytes.starts(with: [0xB5, 0x62]), bytes.count > 8 else { return nil }
      switch (bytes[2], bytes[3], bytes[6]) {
      case (0x13, 0x40, 0x10): return "time"
      case (0x13, 0x40, 0x01): return "place"
      case (0x0B, 0x01, _): return "AID-INI"
      default: return nil
      }
    }
  }

  static let commands: [(ModuleModel, [String])] = [
    (.ublox6, ["AID-INI", "AID-INI"]), (.ublox7, ["AID-INI", "AID-INI"]), (.ublox8, ["time", "place"]),
    (.ublox9, ["time", "place"]), (.ublox10, ["time", "place"]), (.mediaTek, ["PMTK741"]),
    (.airoha, ["PAIR590", "PAIR600"]),
  ]

  @Test(arguments: commands)
  func aidingIsSentOnceAndShortensTheStart(_ model: ModuleModel, _ commands: [String]) {
    var station = Self.cold(model)
    station.send(.request(.aid(Self.aid)))
    station.advance(seconds: 45)
    #expect(station.module.hasFix)
    #expect(Self.sentAiding(station.takeLog()) == commands)
    let notices = station.takeNotices()
    let isSilentSince = if case .configured(_, unanswered: 0)? = notices.last { true } else { false }
    #expect(isSilentSince, "\(notices)")
    station.advance(seconds: 300)
    #expect(Self.sentAiding(station.takeLog()).isEmpty)
  }

  @Test(arguments: [ModuleModel.quectel, .casic, .plain])
  func familiesWithoutAidingCommandsGetNone(_ model: ModuleModel) {
    var (with, without) = (
      Self.cold(model, DialogueFamilyTests.named(model)), Self.cold(model, DialogueFamilyTests.named(model))
    )
    with.send(.request(.aid(Self.aid)))
    with.advance(seconds: 60)
    without.advance(seconds: 60)
    #expect(with.written == without.written)
  }

  @Test func withoutControlNothingIsWritten() {
    var station = DialogueStation(.ublox8, control: .none) { $0.firstStart = .cold }
    station.send(.request(.aid(Self.aid)))
    station.advance(seconds: 60)
    #expect(station.writes == 0)
  }

  @Test(arguments: [ModuleModel.ublox8, .mediaTek, .airoha])
  func aReceiverWithAFixGetsNoAiding(_ model: ModuleModel) {
    var station = DialogueStation(model)
    station.send(.request(.aid(Self.aid)))
    station.advance(seconds: 60)
    station.send(.request(.aid(Self.aid)))
    station.advance(seconds: 60)
    #expect(Self.sentAiding(station.takeLog()).isEmpty)
  }

  /// A stationary receiver repeats its position, and the first ones are held back.
  @Test func aidingWaitsForAFixThatIsHeldBack() {
    var bench = DialogueBench(
      DialogueSettings(control: .full),
      known: KnownReceiver(speed: 9600, identity: ReceiverIdentity(family: .mediaTek)))
    var fix = Fix()
    fix.kind = .threeDimensional
    (fix.latitude, fix.longitude) = (52, 13)
    _ = bench.dialogue.admits(fix, now: bench.now)
    bench.send(.opened(hasSpeed: true))
    bench.send(.request(.aid(Self.aid)))
    bench.received(200, 2)
    bench.send(.answer(.version(ReceiverIdentity(family: .mediaTek, firmware: "AXN"))))
    _ = bench.take()
    for _ in 0..<30 {
      bench.advance(seconds: 1)
      bench.received(200, 2)
      _ = bench.dialogue.admits(fix, now: bench.now)
    }
    #expect(bench.dialogue.state == .running)
    let actions = bench.take()
    #expect(actions.filter(\.isWrite).isEmpty)
  }

  /// The sent error covers the deviation of the time when its last byte arrives.
  @Test(arguments: [0, 3600, 86_400] as [Int64])
  func theTimeIsUpdatedAndItsErrorGrows(age: Int64) throws {
    var station = Self.cold(.ublox8)
    // Known long ago; the clock has drifted by 100 ppm since.
    let moment = Moment.zero - .seconds(age)
    let utc = Self.utc + .milliseconds(-age * 1000 - age / 10)
    station.send(
      .request(.aid(StartAid(time: .init(utc: utc, error: .milliseconds(50), at: moment)))))
    station.advance(seconds: 30)
    let write = try #require(station.log.first { $0.bytes.starts(with: [0xB5, 0x62, 0x13, 0x40]) })
    let payload = Array(write.bytes.dropFirst(6))
    let nanoseconds = payload[12..<16].reversed().reduce(0) { $0 << 8 | Int64($1) }
    let ofDay =
      (Int64(payload[8]) * 60 + Int64(payload[9])) * 60_000 + Int64(payload[10]) * 1000 + nanoseconds
      / 1_000_000
    let errorNanoseconds = payload[20..<24].reversed().reduce(0) { $0 << 8 | Int64($1) }
    let error = Int64(payload[16]) * 1000 + Int64(payload[17]) * 256_000 + errorNanoseconds / 1_000_000
    // 32 bytes at 9600 bit/s.
    let truth = (Self.utc + (write.moment - .zero) + .milliseconds(33)).millisecondOfDay
    #expect(abs(ofDay - truth) <= error, "sent \(ofDay) ± \(error), correct is \(truth)")
    #expect((50 + age / 10 + 33...50 + age / 10 + 120).contains(error))
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var model = ModuleModel.ublox8
    var aid: StartAid
    var commands: [String]
  }

  static let cases = [
    Case(
      testDescription: "an error of a minute is sent", aid: StartAid(time: time(error: .seconds(59))),
      commands: ["time"]),
    Case(
      testDescription: "a larger error of the time is not sent",
      aid: StartAid(time: time(error: .seconds(61))), commands: []),
    Case(
      testDescription: "a week adds a minute",
      aid: StartAid(time: time(error: .seconds(1), at: .zero - .seconds(7 * 86_400))), commands: []),
    Case(
      testDescription: "a time without accuracy must be better", model: .mediaTek,
      aid: StartAid(time: time(error: .seconds(3)), knownPosition: knownPosition()), commands: []),
    Case(
      testDescription: "a time alone is sent", model: .mediaTek, aid: StartAid(time: time()),
      commands: ["PMTK740"]),
    Case(
      testDescription: "a negative error is invalid", aid: StartAid(time: time(error: .seconds(-1))),
      commands: []),
    Case(
      testDescription: "a position of half an hour ago is sent",
      aid: StartAid(knownPosition: knownPosition(at: .zero - .seconds(1800))), commands: ["place"]),
    Case(
      testDescription: "a position of an hour ago is not sent",
      aid: StartAid(knownPosition: knownPosition(at: .zero - .seconds(3600))),
      commands: []),
    Case(
      testDescription: "a position error that is not a number is invalid",
      aid: StartAid(knownPosition: knownPosition(error: .nan)), commands: []
    ),
    Case(
      testDescription: "a very old position is not sent",
      aid: StartAid(time: time(), knownPosition: knownPosition(at: .init(nanoseconds: .min))),
      commands: ["time"]),
    Case(
      testDescription: "a time before GPS is not sent",
      aid: StartAid(time: .init(utc: Timestamp(milliseconds: .min), error: .zero, at: .zero)), commands: []),
    Case(testDescription: "no aiding", aid: StartAid(), commands: []),
  ]

  @Test(arguments: cases)
  func aidingThatIsTooUncertainIsWithheld(_ test: Case) {
    var station = Self.cold(test.model, hasReception: false)
    station.send(.request(.aid(test.aid)))
    station.advance(seconds: 60)
    #expect(Self.sentAiding(station.takeLog()) == test.commands)
  }

  @Test func aidingThatArrivesLaterIsSentToo() {
    var station = Self.cold(.ublox10, hasReception: false)
    station.advance(seconds: 30)
    station.send(.request(.aid(StartAid(knownPosition: Self.knownPosition()))))
    station.advance(seconds: 10)
    #expect(Self.sentAiding(station.takeLog()) == ["place"])
    station.send(.request(.aid(Self.aid)))
    station.send(.request(.aid(Self.aid)))
    station.advance(seconds: 10)
    #expect(Self.sentAiding(station.takeLog()) == ["time"])
    station.send(.request(.aid(Self.aid)))
    station.advance(seconds: 10)
    #expect(Self.sentAiding(station.takeLog()).isEmpty)
  }

  @Test(arguments: [(StartKind.hot, []), (.warm, ["time", "place"]), (.cold, ["time", "place"])])
  func aidingFollowsARestartThatLosesData(_ kind: StartKind, _ commands: [String]) {
    var station = Self.cold(.ublox8, hasReception: false)
    station.send(.request(.aid(Self.aid)))
    station.advance(seconds: 60)
    _ = station.takeLog()
    station.send(.request(.restarted(kind)))
    station.advance(seconds: 60)
    #expect(Self.sentAiding(station.takeLog()) == commands)
  }

  /// A sleep that kept all data ends in a fix before aiding is due; one that lost it does not.
  @Test(arguments: [true, false])
  func afterASleepOnlyAReceiverThatLostItsDataGetsAiding(keepsMemory: Bool) {
    var station = DialogueStation(.airoha, setUp: DialogueStation.setUp, hasEnableLine: !keepsMemory) {
      $0.hasBackupSupply = false
    }
    station.advance(seconds: 60)
    station.send(.request(.aid(Self.aid)))
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 60)
    #expect(station.dialogue.state == .asleep)
    _ = station.takeLog()
    station.send(.request(.awake))
    station.advance(seconds: 60)
    #expect(Self.sentAiding(station.takeLog()) == (keepsMemory ? [] : ["PAIR590", "PAIR600"]))
  }

  @Test(arguments: [ModuleModel.ublox8, .ublox10, .mediaTek, .airoha], [true, false])
  func rejectedAndUnansweredAidingIsReportedOnce(_ model: ModuleModel, isSilent: Bool) {
    var station = Self.cold(model, hasReception: false, setUp: isSilent ? nil : DialogueStation.setUp)
    station.advance(seconds: 30)
    _ = station.takeNotices()
    if isSilent {
      station.module.faults.ignoresCommands = true
    } else {
      station.module.faults.refusesAid = true
    }
    station.send(.request(.aid(Self.aid)))
    for _ in 0..<3 {
      station.advance(seconds: 60)
      #expect(station.dialogue.state == .running)
      station.send(.request(.restarted(.cold)))
      station.advance(seconds: 10)
      station.module.faults.ignoresCommands = false
      station.advance(seconds: 90)
      station.module.faults.ignoresCommands = isSilent
    }
    let reported = station.takeNotices().filter {
      switch $0 {
      case .refused, .unanswered: true
      default: false
      }
    }
    let names: [String] =
      switch model {
      case .mediaTek: ["PMTK741"]
      case .airoha: ["PAIR590", "PAIR600"]
      case .ublox8 where isSilent: ["CFG-NAVX5"]
      case .ublox10 where isSilent: ["CFG-VALSET"]
      default: ["MGA-INI-TIME_UTC", "MGA-INI-POS_LLH"]
      }
    #expect(
      Set(reported.map(String.init(describing:)))
        == Set(
          names.map {
            String(describing: isSilent ? DialogueNotice.unanswered(command: $0) : .refused(command: $0))
          }))
    #expect(reported.count == names.count, "\(reported)")
  }

  /// No reply has to be read immediately.
  @Test func theLineMayBeLeftUnreadDuringAiding() {
    var station = Self.cold(.ublox8, hasReception: false)
    station.advance(seconds: 30)
    station.send(.request(.aid(Self.aid)))
    for _ in 0..<200 {
      station.advance(seconds: 0.05)
      #expect(!station.dialogue.listensClosely && station.dialogue.state == .running)
    }
    #expect(Self.sentAiding(station.takeLog()) == ["time", "place"])
  }
}
