import FleetPolicy
import FleetRecords
import HTTPServer
import Quantities
import TextSnapshots
import Testing

@testable import outrider_collector

@Suite struct LimitsTests {
  private static let start = Moment.zero + .seconds(1000)

  @Test func requestsAreLimitedPerDeviceAndWindow() {
    var rates = RequestRates(.init(requests: 3, points: 100, window: .seconds(600)))
    let (a, b) = (TokenOwner.device(DeviceNumber(1)), TokenOwner.device(DeviceNumber(2)))
    for second in 0..<3 { #expect(rates.admit(a, now: Self.start + .seconds(second)) == nil) }
    #expect(rates.admit(a, now: Self.start + .seconds(3)) == .seconds(597))
    #expect(rates.admit(b, now: Self.start + .seconds(3)) == nil)
    #expect(rates.admit(a, now: Self.start + .seconds(600)) == nil)
  }

  @Test func pointsAreLimitedPerDeviceAndWindow() {
    var rates = RequestRates(.init(requests: 60, points: 100, window: .seconds(600)))
    let device = TokenOwner.device(DeviceNumber(1))
    #expect(rates.admit(device, now: Self.start) == nil)
    rates.count(99, of: device)
    #expect(rates.admit(device, now: Self.start) == nil)
    rates.count(1, of: device)
    #expect(rates.admit(device, now: Self.start + .seconds(1)) == .seconds(599))
    rates.count(1_000_000, of: .device(DeviceNumber(2)))
    #expect(rates.admit(device, now: Self.start + .seconds(601)) == nil)
  }

  @Test func theMemoryOfRatesIsBounded() {
    var rates = RequestRates(.init(requests: 1, points: 100, window: .seconds(600), tokens: 10))
    for number in 0..<10 {
      #expect(rates.admit(.device(DeviceNumber(Int32(number))), now: Self.start) == nil)
    }
    #expect(rates.admit(.device(DeviceNumber(3)), now: Self.start) != nil)
    // The eleventh device makes room.
    #expect(rates.admit(.device(DeviceNumber(10)), now: Self.start) == nil)
    #expect(rates.admit(.device(DeviceNumber(3)), now: Self.start) == nil)
  }

  @Test func requestsOfAnEnrolmentTokenAreLimited() {
    var rates = RequestRates(.init(requests: 1, points: 1, enrolmentRequests: 3, window: .seconds(600)))
    let (a, b) = (TokenOwner.enrolment(token: [1]), TokenOwner.enrolment(token: [2]))
    for second in 0..<3 { #expect(rates.admit(a, now: Self.start + .seconds(second)) == nil) }
    #expect(rates.admit(a, now: Self.start + .seconds(3)) == .seconds(597))
    #expect(rates.admit(b, now: Self.start + .seconds(3)) == nil)
    #expect(rates.admit(.device(DeviceNumber(1)), now: Self.start + .seconds(3)) == nil)
    #expect(rates.admit(a, now: Self.start + .seconds(600)) == nil)
  }

  /// All boxes of a roll-out are switched on in one morning, and every tenth answer is lost.
  @Test(arguments: [(100, 1000), (0, 1000), (10_000, 100_000), (1_000_000_000, 10_000_000_000)])
  func theRequestsOfAnEnrolmentTokenFollowItsDevices(enrolments: Int, requests: Int) {
    #expect(RequestRates.Limits.enrolmentRequests(enrolments: enrolments) == requests)
  }

  @Test func delaysAreSpread() {
    var delays = RetryDelays(seed: 3)
    let drawn = (0..<2000).map { _ in delays.next() }
    #expect(drawn.allSatisfy(RetryDelays.range.contains) && Set(drawn).count == 111)
    #expect(delays.next(atLeast: .milliseconds(300_500)) == 301)
    var again = RetryDelays(seed: 3)
    #expect((0..<2000).map { _ in again.next() } == drawn)
  }

  @Test func recordsAreHashed() {
    // XXH3-128 of nothing, from the documentation of the library.
    #expect(ContentHash.record(UnsafeRawBufferPointer(start: nil, count: 0)) == 0x99AA_06D3_0147_98D8)
  }

  @Test(
    arguments: [
      ("", [UInt8]()), ("Zg==", [0x66]), ("Zm8=", [0x66, 0x6F]), ("Zm9v", [0x66, 0x6F, 0x6F]), ("Zm9v!", nil),
      ("/+8", [0xFF, 0xEF]),
    ] as [(String, [UInt8]?)])
  func base64IsDecoded(text: String, bytes: [UInt8]?) { #expect(Base64.decoded(text) == bytes) }
}

@Suite struct ServeOptionsTests {
  private static let texts = TextSnapshot("ingest")

  private func parse(_ words: [String], _ variable: String? = nil) -> Result<ServeOptions, Arguments.Misuse> {
    do throws(Arguments.Misuse) {
      return .success(try ServeOptions(words[...], environment: { _ in variable }))
    } catch { return .failure(error) }
  }

  @Test func optionsHaveDefaults() throws {
    let options = try parse(["--database", "postgresql:///x"]).get()
    #expect(
      options.database == "postgresql:///x" && options.connections == 4 && options.memory == 256_000_000)
    #expect(options.listen == .tcp(address: "127.0.0.1", port: 8090) && options.metricsListen == nil)
    #expect(options.rates == RequestRates.Limits())
    #expect(options.retention == Retention() && options.partitions == .day && options.enrolments == 100)
    let ofVariable = try parse([], "postgresql://e/").get()
    #expect(ofVariable.database == "postgresql://e/")
  }

  @Test func optionsAreRead() throws {
    let options = try parse([
      "--database=d", "--listen", "unix:/run/x.sock", "--metrics-listen=[::1]:9", "--memory", "1GB",
      "--connections=8", "--trusted-proxy", "::1", "--device-requests", "5", "--device-points", "6",
      "--enrolments=7", "--retention", "90",
      "--event-retention=400", "--report-retention=30", "--partitions", "month",
    ]).get()
    #expect(options.listen == .unix(path: "/run/x.sock") && options.memory == 1_000_000_000)
    #expect(options.metricsListen == .tcp(address: "::1", port: 9) && options.connections == 8)
    #expect(options.trustedProxy == "::1")
    #expect(options.rates.requests == 5 && options.rates.points == 6 && options.enrolments == 7)
    #expect(options.rates.enrolmentRequests == 1000)
    #expect(options.retention == Retention(locationDays: 90, eventDays: 400, reportDays: 30))
    #expect(options.partitions == .month)
  }

  static let misuses: [[String]] = [
    [], ["--database", ""], ["--database", "d", "x"], ["--database", "d", "--listen", "nowhere"],
    ["--database", "d", "--listen", "unix:"], ["--database", "d", "--memory", "1kB"],
    ["--database", "d", "--memory", "99999999999999999999MB"], ["--database", "d", "--memory", "MB"],
    ["--database", "d", "--connections", "0"], ["--database", "d", "--connections", "x"],
    ["--database", "d", "--trusted-proxy", "proxy"], ["--database", "d", "--enrolments", "-1"],
    ["--database", "d", "--retention", "0"], ["--database", "d", "--partitions", "week"],
    ["--database", "--listen"], ["--database"], ["--what"],
  ]

  @Test func misuseIsReportedWithItsRemedy() {
    let messages = Self.misuses.map { words -> String in
      guard case .failure(let misuse) = parse(words) else { return "accepted: \(words)" }
      return "\(words.joined(separator: " ")) -> \(misuse.message)"
    }.joined(separator: "\n")
    #expect(messages == Self.texts.expected("serve misuse", messages))
  }

  @Test func theProgramDescribesItself() {
    var printed: [String] = []
    var complaints: [String] = []
    func run(_ words: [String]) -> Int32 {
      CollectorProgram.run(
        ["outrider-collector"] + words,
        [
          ServeCommand.command { _, _ in
            throw Arguments.Misuse(message: "no store")
          }
        ], print: { printed.append($0) }, complain: { complaints.append($0) })
    }
    #expect(run([]) == 2 && run(["--help"]) == 0 && run(["--version"]) == 0)
    #expect(run(["serve", "--help"]) == 0 && run(["fly"]) == 2 && run(["serve", "--fly"]) == 2)
    #expect(printed[2] == "outrider-collector \(Release.version)")
    #expect(printed[1] == Self.texts.expected("help", printed[1]))
    #expect(printed[3] == Self.texts.expected("serve help", printed[3]))
    #expect(complaints[0] == Self.texts.expected("unknown command", complaints[0]))
    #expect(printed[3].split(separator: "\n").allSatisfy { $0.count <= 120 })
  }

  @Test func clientsAreLimitedByDescriptors() {
    #expect(ServeCommand.clientLimit(1024) == 896 && ServeCommand.clientLimit(100) == 1)
    #expect(ServeCommand.clientLimit(1_000_000) == HTTPServer.Limits.mostConnections)
  }
}
