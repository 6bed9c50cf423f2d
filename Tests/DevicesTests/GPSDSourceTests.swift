import EventLoop
import GNSSReport
import Glibc
import HostileJSON
import Quantities
import Testing
import Devices

/// The client in a real loop, with sockets that misbehave as the test requires.
@Suite(.serialized) struct GPSDSourceTests {
  @Test func reportsBecomeFixes() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    gpsd.greeting += [ScriptedGPSD.device(), ScriptedGPSD.position(1), ScriptedGPSD.position(2)]
    bench.source.start()
    try bench.wait { bench.fixes.count == 2 }
    let fix = try #require(bench.fixes.first)
    #expect(fix.timestamp?.iso8601() == "2026-06-01T00:00:01Z")
    #expect(fix.kind == .threeDimensional)
    #expect(fix.latitude == 52.5 && fix.longitude == 13.25)
    #expect(fix.altitude == 38 && fix.ellipsoidHeight == 77.5)
    #expect(fix.speed == 1.5 && fix.course == 90)
    #expect(fix.horizontalAccuracy == 2.5 && fix.accuracySource == .receiver)
    #expect(bench.notices == [.found])
    #expect(bench.source.release == "9.9")
    #expect(bench.source.device?.driver == "u-blox")
    #expect(bench.source.reports == 2)
    #expect(gpsd.received.hasPrefix(#"?WATCH={"enable":true,"json":true"#))
  }

  @Test func linesThatAreNotReadAreCountedByReason() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    gpsd.greeting += [
      #"{"class":"WATCH","enable":true}"#, #"{"class":"TPV","class":"SKY"}"#, #"{ "class":"TPV","mode":3}"#,
      #"{"class":"AIS","type":1}"#, #"{"class":"TOFF"}"#, String(repeating: "z", count: 50_000),
      ScriptedGPSD.position(1),
    ]
    bench.source.start()
    try bench.wait { bench.source.reports == 1 }
    #expect(
      bench.source.ignored.countsByKey == [
        "second_class": 1, "no_class": 1, "other_class": 2, "long_line": 1,
      ])
  }

  struct Release: Sendable, CustomTestStringConvertible {
    let release: String, members: String
    let altitude: Double?, height: Double?, accuracy: Double?
    var testDescription: String { release }
  }

  /// The members of TPV by which versions of gpsd report the altitude and the accuracy of the same fix.
  static let releases = [
    Release(
      release: "3.11", members: #""alt":212.500,"epx":6.000,"epy":8.000,"epv":23.000,"eps":16.00"#,
      altitude: 212.5,
      height: nil, accuracy: 10 * 1.51 / 2.45),
    Release(
      release: "3.17",
      members: #""alt":212.5,"epx":9.0,"epy":12.0,"epv":23.0,"climb":0.0,"eps":24.0,"epc":46.0"#,
      altitude: 212.5, height: nil, accuracy: 15 * 1.51 / 2.45),
    Release(
      release: "3.17 without satellites", members: #""alt":212.5"#, altitude: 212.5, height: nil,
      accuracy: nil),
    Release(
      release: "3.20",
      members: #""altHAE":260.25,"altMSL":212.5,"alt":212.5,"epx":9.0,"epy":12.0,"epv":23.0,"eph":15.5"#,
      altitude: 212.5, height: 260.25, accuracy: 15.5 * 1.51 / 2.45),
    Release(
      release: "3.25", members: #""altHAE":260.25,"altMSL":212.5,"alt":212.5,"eph":19.0,"sep":30.0"#,
      altitude: 212.5,
      height: 260.25, accuracy: 19 * 1.51 / 2.45),
  ]

  @Test(arguments: releases) func everyVersionGivesAltitudeAndAccuracy(_ test: Release) throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    gpsd.greeting.append(ScriptedGPSD.device(driver: "NMEA0183"))
    for second in 1...3 {
      gpsd.greeting.append(
        #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-06-01T00:00:0\#(second).000Z","ept":0.005,"#
          + #""lat":52.5,"lon":13.25,"track":90.0,"speed":1.5,\#(test.members)}"#)
    }
    bench.source.start()
    try bench.wait { bench.fixes.count == 3 }
    for fix in bench.fixes {
      #expect(fix.altitude == test.altitude && fix.ellipsoidHeight == test.height)
      #expect(fix.accuracySource == (test.accuracy == nil ? .none : .gpsd))
      #expect(abs((fix.horizontalAccuracy ?? -1) - (test.accuracy ?? -1)) < 1e-9)
    }
  }

  @Test func anUnnamedReceiverHasADescription() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    gpsd.greeting.append(ScriptedGPSD.position(1, device: nil))
    bench.source.start()
    try bench.wait { bench.notices == [.found] }
    #expect(bench.source.device?.description == "a receiver")
  }

  @Test func allLinesOfOneWriteAreRead() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    bench.source.start()
    try bench.wait { gpsd.connections == 1 && bench.source.isOpen }
    gpsd.send((1...300).map { ScriptedGPSD.position($0) + "\r\n" }.joined())
    try bench.wait { bench.fixes.count == 300 }
    let times = bench.fixes.compactMap(\.millisecondOfDay)
    #expect(times == (1...300).map { Int32($0 * 1000) })
  }

  /// After any malformed line a valid one is received, if necessary on the next connection.
  @Test func noMalformedLineEndsTheProgram() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    bench.source.start()
    try bench.wait { gpsd.connections == 1 && bench.source.isOpen }
    let documents =
      HostileJSON.documents(key: "lat", before: #"{"class":"TPV","device":"/dev/a","mode":3,"#)
      + HostileJSON.documents(key: "path", before: #"{"class":"DEVICE","#)
    for (number, document) in documents.enumerated() where document.bytes.count < 512 {
      let connections = gpsd.connections
      gpsd.send(document.bytes + Array("\r\n".utf8))
      guard number % 100 == 99 else { continue }
      let received = bench.fixes.count
      gpsd.send(ScriptedGPSD.position(number) + "\r\n")
      try bench.wait { bench.fixes.count > received || gpsd.connections > connections && bench.source.isOpen }
    }
    let last = bench.fixes.count
    gpsd.greeting.append(ScriptedGPSD.position(80_000))
    gpsd.hangUp()
    try bench.wait { bench.fixes.count > last }
  }

  @Test func anIncompleteLineWaitsForItsRemainder() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    bench.source.start()
    try bench.wait { gpsd.connections == 1 && bench.source.isOpen }
    let line = ScriptedGPSD.position(1) + "\r\n"
    gpsd.send(String(line.prefix(60)))
    // The loop must sleep meanwhile: half a line that keeps it busy would cause many iterations.
    var turns = 0
    bench.loop.everyTurn { _ in turns += 1 }
    let other = bench.loop.addTimer("other half") { _ in gpsd.send(String(line.dropFirst(60))) }
    other.arm(at: bench.loop.now + .milliseconds(100))
    try bench.wait { bench.fixes.count == 1 }
    #expect(turns < 20)
  }

  @Test func aRestartedGpsdIsReconnected() throws {
    let bench = try GPSDBench()
    var gpsd: ScriptedGPSD? = try ScriptedGPSD(bench.loop, port: bench.port)
    gpsd?.greeting.append(ScriptedGPSD.position(1))
    bench.source.start()
    try bench.wait { bench.fixes.count == 1 }
    gpsd = nil
    try bench.wait { bench.notices.count == 2 }
    #expect(bench.notices == [.found, .lost(.ended)])
    #expect(!bench.source.isOpen)
    gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    gpsd?.greeting.append(ScriptedGPSD.position(2))
    try bench.wait { bench.fixes.count == 2 }
    #expect(bench.notices == [.found, .lost(.ended), .recovered])
  }

  @Test func aClosedPortIsReportedOnceAndRetried() throws {
    let bench = try GPSDBench()
    bench.source.start()
    try bench.wait { !bench.notices.isEmpty }
    // Starts after the second attempt has failed as well.
    var gpsd: ScriptedGPSD?
    let coming = bench.loop.addTimer("gpsd") { [loop = bench.loop, port = bench.port] _ in
      gpsd = try? ScriptedGPSD(loop, port: port)
      gpsd?.greeting.append(ScriptedGPSD.position(1))
    }
    coming.arm(at: bench.loop.now + .milliseconds(700))
    try bench.wait { !bench.fixes.isEmpty }
    #expect(bench.notices == [.lost(.unreachable), .found])
    withExtendedLifetime(gpsd) {}
  }

  @Test func anUnknownHostIsReported() throws {
    let loop = try EventLoop()
    // Longer than a valid name, so that no resolver uses the network.
    let source = GPSDSource(loop: loop, host: String(repeating: "x", count: 64), port: 2947)
    var notices: [GPSDSource.Notice] = []
    source.onNotice = {
      notices.append($0)
      loop.stop()
    }
    source.start()
    let deadline = loop.addTimer("deadline") { _ in loop.stop() }
    deadline.arm(at: loop.now + .seconds(20))
    try loop.run()
    #expect(notices == [.lost(.unknownHost)])
  }

  @Test func aSilentHostIsReportedAndReconnected() throws {
    let bench = try GPSDBench(timeout: .milliseconds(300))
    let mute = try ListeningPort(bench.port, accepts: 8)
    bench.source.start()
    try bench.wait { !bench.notices.isEmpty }
    #expect(bench.notices == [.silent(seconds: 0)])
    try bench.wait { bench.source.isOpen }
    #expect(bench.notices.count == 1)
    withExtendedLifetime(mute) {}
  }

  @Test func aHangingAttemptBlocksNeitherTheLoopNorTheEnd() throws {
    let bench = try GPSDBench(timeout: .milliseconds(200))
    let full = try ListeningPort(bench.port, accepts: 0)
    // The kernel completes no more connections than the queue holds; the others wait.
    let first = try full.connection()
    let second = try full.connection()
    let before = bench.loop.now
    bench.source.start()
    try bench.wait { !bench.notices.isEmpty }
    #expect(bench.notices == [.lost(.noAnswer)])
    #expect(bench.loop.now - before < .seconds(2))
    bench.source.stop()
    #expect(bench.loop.now - before < .seconds(2))
    _ = (first.raw, second.raw)
  }

  @Test func anUnpluggedReceiverIsReportedAndRequestedAgain() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    bench.source.start()
    try bench.wait { bench.source.isOpen && gpsd.connections == 1 }
    gpsd.sendLine(ScriptedGPSD.position(1))
    gpsd.sendLine(ScriptedGPSD.device("/dev/other", isActive: false))
    gpsd.sendLine(ScriptedGPSD.device(isActive: false))
    try bench.wait { bench.notices.count == 2 }
    #expect(bench.notices == [.found, .lost(.deviceGone(path: "/dev/a"))])
    try bench.wait { gpsd.connections == 2 && bench.source.isOpen }
    gpsd.sendLine(ScriptedGPSD.position(2))
    try bench.wait { bench.fixes.count == 2 }
    #expect(bench.notices.last == .recovered)
  }

  @Test func malformedDataIsTolerated() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    gpsd.greeting = [
      "", "nonsense", #"{"class":"TPV""#,
      #"{"class":"TPV","mode":3,"time":"bogus","lat":"x","lon":1e999}"#,
      #"{"class":"TPV","mode":3,"lat":91,"lon":1}"#, #"{"class":"TPV","mode":-7}"#,
      #"{"class":"ERROR","message":"no"}"#, #"{"class":"WATCH","enable":true}"#,
      #"{"class":"DEVICES","devices":[]}"#,
      #"{"class":"DEVICE","path":"\#(String(repeating: "y", count: 200))"}"#, #"{"class":"SKY","hdop":"x"}"#,
      ScriptedGPSD.position(1),
    ]
    bench.source.start()
    try bench.wait { bench.fixes.contains { $0.latitude == 52.5 } }
    #expect(bench.fixes.filter { $0.kind != .none }.count == 1)
  }

  @Test func theEpochInProgressIsHandedOverAtTheEnd() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    gpsd.greeting.append(ScriptedGPSD.position(1))
    bench.source.start()
    try bench.wait { bench.notices == [.found] }
    #expect(bench.fixes.isEmpty)
    bench.source.finish(now: bench.loop.now)
    #expect(bench.fixes.count == 1)
    bench.source.start()
    #expect(!bench.source.isOpen)
  }

  @Test func aCallbackMayStopTheSource() throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    gpsd.greeting += (1...9).map { ScriptedGPSD.position($0) }
    var count = 0
    bench.source.onEpoch = { [source = bench.source] _, _ in
      count += 1
      source.stop()
    }
    bench.source.start()
    try bench.wait { count > 0 }
    #expect(count == 1)
    #expect(!bench.source.isOpen)
  }
}
