import Foundation
import Glibc
import LocalAPI
import Quantities
import Records
import Testing

@testable import outrider

/// What the status says of fix, satellites, motion, trip and sending.
@Suite struct StatusReceptionTests {
  private static func report(_ change: (inout StatusReport) -> Void) -> StatusReport {
    var report = StatusReport(
      version: "1", deviceID: "van", running: true,
      log: .init(directory: "log", lastID: 1, waiting: 0, trouble: nil), destinations: [])
    report.reception = StatusReport.Reception()
    change(&report)
    return report
  }

  private static func row(
    _ name: String, _ units: UnitSystem = .metric, _ change: (inout StatusReport) -> Void
  )
    -> String?
  {
    let lines = StatusText.lines(
      logger: "", running: report(change), log: nil, directory: "log", units: units)
    return lines.first { $0.prefix { $0 != " " } == name }.map {
      String($0.dropFirst(name.count).drop { $0 == " " })
    }
  }

  static let fixes:
    [(fix: String?, lost: Double?, used: Int?, received: Int?, strongest: Double?, age: Double, says: String)] =
      [
        ("none", 45, nil, 11, 38, 1, "no fix for 45 s, 11 satellites received, strongest 38 dBHz"),
        (
          "none", 45, nil, 11, 38, 130,
          "no fix for 45 s, 11 satellites received, strongest 38 dBHz (2 min ago)"
        ),
        ("none", 600, nil, 0, nil, 1, "no fix for 10 min, 0 satellites received"),
        (
          "none", 45, nil, nil, nil, 0,
          "no fix for 45 s; satellites unknown, outrider status --sky asks the receiver once"
        ),
        ("3D", nil, 12, nil, nil, 0, "3D, 12 satellites used"),
        (
          "3D", nil, 12, 17, 44, 300,
          "3D, 12 satellites used, 17 satellites received, strongest 44 dBHz (5 min ago)"
        ),
        (nil, nil, nil, nil, nil, 0, "no epoch from the receiver yet"),
      ]

  @Test(arguments: fixes)
  func theFixRowSaysWhetherThereIsAFixAndWhatIsReceived(
    fix: String?, lost: Double?, used: Int?, received: Int?, strongest: Double?, age: Double, says: String
  ) {
    let row = Self.row("fix") {
      $0.reception?.fix = fix
      $0.reception?.no_fix_s = lost
      $0.reception?.epoch_age_s = 1
      $0.reception?.satellites_used = used
      $0.reception?.satellites_received = received
      $0.reception?.strongest_dBHz = strongest
      $0.reception?.satellites_age_s = received == nil ? nil : age
    }
    #expect(row == says)
  }

  @Test func aPositionDoesNotClaimTheFixOfItsTimeForNow() {
    let row = Self.row("position") {
      $0.reception?.fix = "none"
      $0.reception?.no_fix_s = 45
      var position = StatusReport.Position(time: nil, latitude: 52.5, longitude: 13.4, fix: "3D")
      (position.age_s, position.horizontal_accuracy_m, position.speed_mps, position.altitude_m) = (
        45, 3, 10, 34
      )
      $0.position = position
    }
    #expect(row == "52.5, 13.4 ±3 m, altitude 34 m, 36.0 km/h, 45 s ago")
  }

  static let units: [(UnitSystem, String)] = [
    (.metric, "±3 m, altitude 100 m, 36.0 km/h"), (.imperial, "±10 ft, altitude 328 ft, 22.4 mph"),
    (.nautical, "±3 m, altitude 100 m, 19.4 kn"),
  ]

  @Test(arguments: units) func unitsAreThoseOfThePerson(units: UnitSystem, says: String) {
    let row = Self.row("position", units) {
      var position = StatusReport.Position(time: nil, latitude: 52.5, longitude: 13.4, fix: "3D")
      (position.horizontal_accuracy_m, position.speed_mps, position.altitude_m) = (3, 10, 100)
      $0.position = position
    }
    #expect(row == "52.5, 13.4 \(says)")
  }

  @Test func distancesAreInTheUnitsThatFitThem() {
    #expect([999, 1500].map(UnitSystem.metric.distance) == ["999 m", "1.5 km"])
    #expect([100, 1609.344].map(UnitSystem.imperial.distance) == ["328 ft", "1.0 mi"])
    #expect([100, 3704].map(UnitSystem.nautical.distance) == ["100 m", "2.0 NM"])
    #expect(throws: Arguments.Misuse.self) { try UnitSystem(word: "parsec") }
  }

  @Test func motionComesWithItsConfidenceAndAnUnknownOneIsNoFault() {
    func motion(
      _ moving: Bool, _ states: [String]?, _ confidence: String?, _ source: String? = nil
    ) -> String? {
      Self.row("motion") {
        $0.motion = StatusReport.Motion(moving: moving)
        $0.motion?.states = states
        $0.motion?.confidence = confidence
        $0.motion?.source = source
      }
    }
    #expect(motion(true, ["walking"], "high") == "walking (high confidence)")
    #expect(motion(false, [], "low") == "not known yet")
    #expect(motion(true, ["driving"], "low", "speed") == "driving (low confidence, by speed)")
    #expect(motion(true, nil, nil) == "moving, by position")
    #expect(motion(false, nil, nil) == "stationary, by position")
    let receiver = Self.row("receiver") {
      $0.receiver = .init(port: "/dev/ttyS0", isOpen: true, speed: 9600, validFrames: 5, checksumErrors: 0)
      $0.receiver?.state = "running"
      $0.receiver?.family = "unknown"
    }
    #expect(receiver?.contains("(unknown)") == false && receiver?.contains("does not name itself") == true)
  }

  @Test func theRunningTripHasModeDurationAndDistance() {
    let row = Self.row("trip") {
      $0.trip = StatusReport.Trip(mode: "car", manual: true, distance_m: 3456)
      $0.trip?.duration_s = 720
    }
    #expect(row == "car, 12 min, 3.5 km, started by hand")
  }

  @Test func recordsOfTheRunAreCountedByKind() {
    #expect(
      Self.row("records") { $0.records = ["location": 30, "event": 1] }
        == "30 locations, 1 event since the start")
  }

  @Test func eachDestinationHasItsLastSuccessAnswerAndNextAttempt() {
    var destination = StatusReport.Destination(name: "home", delivered: 5, acknowledgedID: 5, trouble: nil)
    (destination.last_success_age_s, destination.last_answer) = (130, "accepted")
    destination.next_send_in_s = 45
    #expect(StatusText.sending(destination) == "last sent 2 min ago, next in 45 s")
    (destination.last_answer, destination.last_answer_age_s) = ("status 503", 10)
    destination.next_send_in_s = 0
    #expect(
      StatusText.sending(destination) == "last sent 2 min ago, last answer 10 s ago: status 503, sending now")
  }

  // MARK: A logger that runs

  /// An epoch of a receiver that sees satellites and has no fix.
  private static func epochWithoutFix(_ second: Int) -> [UInt8] {
    let time = "1000\(second < 10 ? "0" : "")\(second).00"
    return [
      "GNRMC,\(time),V,,,,,,,010326,,,N", "GNGGA,\(time),,,,,0,00,99.99,,,,,,",
      "GPGSV,1,1,03,05,40,083,38,07,17,308,21,13,07,344,", "GLGSV,1,1,01,70,11,308,30",
    ].flatMap { body -> [UInt8] in
      let sum = body.utf8.reduce(UInt8(0)) { $0 ^ $1 }
      let digits = String(sum, radix: 16, uppercase: true)
      return Array("$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n".utf8)
    }
  }

  @Test func aLostFixIsReportedWithTheSatellitesThatTheReceiverNames() throws {
    let bench = try LoggerBench(url: nil)
    try bench.start()
    #expect(bench.says("started:"))
    let drive = Recording.simulated(epochs: 5).pieces
    let dark = (10...30).map { Feeder.Piece(bytes: Self.epochWithoutFix($0)) }
    bench.feeder.play(drive + dark, every: .milliseconds(200))
    func reception() throws -> [String: Any] {
      try FaultTests.status(of: bench)["reception"] as? [String: Any] ?? [:]
    }
    #expect(
      try eventually(within: .seconds(20)) {
        try reception()["satellites_received"] as? Int == 3
      }, "\((try? reception()) ?? [:])")
    let lost = try reception()
    #expect(lost["strongest_dBHz"] as? Double == 38 && lost["no_fix_s"] as? Double ?? 0 > 0)
    let text = try FaultTests.run(
      ["status", "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    let row = text.output.split(separator: "\n").first { $0.hasPrefix("fix ") } ?? ""
    #expect(row.contains("no fix for") && row.contains("3 satellites received, strongest 38 dBHz"), "\(row)")
    #expect(!text.output.contains("(3D)"), "\(text.output)")
    #expect(text.output.contains(" locations, "), "\(text.output)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aStatusAskedWithOtherOptionsBelievesTheLogger() throws {
    let bench = try LoggerBench(url: "http://127.0.0.1:9/")
    try bench.start()
    #expect(bench.says("started:"))
    bench.feeder.play(Recording.simulated(epochs: 5).pieces, every: .milliseconds(50))
    #expect(bench.hasStored(5))
    #expect(
      try eventually(within: .seconds(20)) {
        let destinations = try FaultTests.status(of: bench)["destinations"] as? [[String: Any]]
        return destinations?.first?["last_answer"] != nil
      })
    let other = try bench.scratch.write(
      "other.json5", "{ storage: { directory: '/nowhere', allow_volatile: true } }")
    let words = ["status", "--config", other, "--set", "api.socket=\(bench.scratch.path("api.sock"))"]
    let outcome = try FaultTests.run(words, in: bench.scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let row = outcome.output.split(separator: "\n").first { $0.hasPrefix("to home") } ?? ""
    #expect(
      row.contains("5 waiting") && !outcome.output.contains("not configured any more"), "\(outcome.output)")
    #expect(outcome.output.contains("in \(bench.log)"), "\(outcome.output)")
    #expect(row.contains("last answer"), "nobody listens there: \(row)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aDestinationIsConfiguredWhileTrackingIsOffToo() throws {
    let bench = try LoggerBench(url: "http://127.0.0.1:9/", extra: "tracking: false,")
    try bench.start()
    #expect(bench.says("started:"))
    #expect(try (FaultTests.status(of: bench)["destinations"] as? [[String: Any]])?.count == 1)
    #expect(bench.stopsInGoodOrder())
  }
}
