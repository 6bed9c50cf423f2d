import Foundation
import GNSSProtocol
import GNSSReport
import Quantities
import Testing
@testable import GPSDProtocol

/// The answers to the requests of gpsd_json(5), and the limits of a client.
@Suite struct GPSDClientTests {
  static let device: SharedDevice = {
    var device = SharedDevice(path: "/dev/ttyACM0")
    (device.driver, device.subtype, device.subtype1) = ("u-blox", "SPG 5.10", "MAX-M10S")
    (device.activated, device.speed, device.isBinary) = (GPSDClientTests.time, 38_400, true)
    return device
  }()
  static let time = Timestamp(milliseconds: 1_774_087_200_250)

  static var fix: Fix {
    var fix = Fix()
    (fix.timestamp, fix.kind) = (time, .threeDimensional)
    (fix.latitude, fix.longitude, fix.altitude) = (52.5, 13.4, 38)
    (fix.horizontalAccuracy, fix.verticalAccuracy, fix.speed) = (3, 5, 14)
    return fix
  }

  static let sky = Array(#"{"class":"SKY","nSat":1,"uSat":1,"satellites":[]}"#.utf8 + [0x0A])

  static func situation(_ device: SharedDevice? = device) -> GPSDClient.Situation {
    GPSDClient.Situation(device: device, reports: SharedReports(), time: time)
  }

  /// The lines that wait for a client, which takes them.
  static func taken(_ client: inout GPSDClient) -> [String] {
    let text = String(decoding: client.unsent, as: UTF8.self)
    client.sent(client.unsent.count)
    var lines = text.components(separatedBy: "\r\n")
    #expect(lines.popLast() == "", "the last line ends")
    return lines
  }

  static func answers(_ request: String, _ situation: GPSDClient.Situation = situation()) -> [String] {
    var client = GPSDClient(version: "1.2.3")
    _ = taken(&client)
    client.receive(Array(request.utf8), situation)
    return taken(&client)
  }

  static let version =
    #"{"class":"VERSION","release":"3.25","rev":"outrider 1.2.3","proto_major":3,"proto_minor":15}"#
  static let aDevice =
    #"{"class":"DEVICE","path":"/dev/ttyACM0","driver":"u-blox","subtype":"SPG 5.10","subtype1":"MAX-M10S","#
    + #""activated":"2026-03-21T10:00:00.250Z","flags":1,"native":1,"bps":38400,"parity":"N","stopbits":1}"#
  static let devices = #"{"class":"DEVICES","devices":[\#(aDevice)]}"#

  static func watch(_ enable: Bool, json: Bool = false, nmea: Bool = false, raw: Int = 0) -> String {
    #"{"class":"WATCH","enable":\#(enable),"json":\#(json),"nmea":\#(nmea),"raw":\#(raw),"scaled":false,"#
      + #""timing":false,"split24":false,"pps":false}"#
  }

  static let poll =
    #"{"class":"POLL","time":"2026-03-21T10:00:00.250Z","active":0,"tpv":[],"gst":[],"sky":[]}"#

  static func error(_ message: String) -> String { #"{"class":"ERROR","message":"\#(message)"}"# }

  static let table: [(request: String, answers: [String])] = [
    ("?VERSION;", [version]),
    ("?VERSION;\n", [version]),
    ("?VERSION\r\n", [version]),
    ("  ?VERSION ; ?VERSION;", [version, version]),
    ("?DEVICES;", [devices]),
    ("?DEVICE;", [aDevice]),
    ("?WATCH;", [devices, watch(false)]),
    (#"?WATCH={"enable":true,"json":true};"#, [devices, watch(true, json: true)]),
    (#"?WATCH={"enable":true,"json":true}"# + "\r\n", [devices, watch(true, json: true)]),
    // gps3 sends no end.
    (#"?WATCH={"enable":true,"json":true}"#, [devices, watch(true, json: true)]),
    (#"?WATCH={"enable":true}?POLL;"#, [devices, watch(true), poll]),
    (#"?WATCH={"enable":true,"device":"}"}"#, [error("No such device as }"), devices, watch(false)]),
    (#"?WATCH={"json":true,"scaled":false};"#, [devices, watch(true, json: true)]),
    (#"?WATCH={"class":"WATCH","nmea":true};"#, [devices, watch(true, nmea: true)]),
    (#"?WATCH={"raw":7};"#, [devices, watch(true, raw: 2)]),
    (#"?WATCH={"enable":false};"#, [devices, watch(false)]),
    (
      #"?WATCH={"enable":true,"device":"/dev/ttyACM0"};"#,
      [devices, String(watch(true).dropLast()) + #","device":"/dev/ttyACM0"}"#]
    ),
    (
      #"?WATCH={"enable":true,"device":"/dev/x;\""};"#,
      [error(#"No such device as /dev/x;\""#), devices, watch(false)]
    ),
    (#"?WATCH={"enable":"yes"};"#, [error("Invalid WATCH")]),
    (#"?WATCH={"enable":true;"#, [error("Invalid WATCH")]),
    ("?WATCH=;", [error("Invalid WATCH")]),
    (#"?WATCH=[[[[[[[[]]]]]]]];"#, [error("Invalid WATCH")]),
    (
      #"?DEVICE={"path":"/dev/ttyACM0","bps":9600};"#,
      [error("Read only: the receiver is configured by Outrider")]
    ),
    ("?DEVICE=;", [error("Read only: the receiver is configured by Outrider")]),
    ("?POLL;", [poll]),
    ("?FOO;", [error("Unrecognized request '?FOO'")]),
    ("!configuration\n", [error("Unrecognized request '!configuration'")]),
    ("$PUBX,41,1,0007,0003,9600,0*10\r\n", [error("Unrecognized request '$PUBX,41,1,0007,0003,9600,0*10'")]),
    ("GET / HTTP/1.1\r\n\r\n", [error("Unrecognized request 'GET / HTTP/1.1'")]),
    ("\r\n ; ;;\n", []),
    ("?VERS", []),
  ]

  @Test func requestsAreAnsweredAsGPSDAnswersThem() {
    for row in Self.table { #expect(Self.answers(row.request) == row.answers, "\(row.request)") }
  }

  @Test func requestsAreAnsweredHoweverTheirBytesArrive() {
    for row in Self.table {
      var client = GPSDClient(version: "1.2.3")
      _ = Self.taken(&client)
      for byte in row.request.utf8 { client.receive([byte], Self.situation()) }
      #expect(Self.taken(&client) == row.answers, "\(row.request)")
    }
  }

  @Test func aClientIsGreetedWithTheVersion() {
    var client = GPSDClient(version: "1.2.3")
    #expect(Self.taken(&client) == [Self.version])
    #expect(!client.isWatching)
  }

  @Test func withoutAReceiverThereAreNoDevices() {
    #expect(Self.answers("?DEVICES;", Self.situation(nil)) == [#"{"class":"DEVICES","devices":[]}"#])
    #expect(Self.answers("?DEVICE;", Self.situation(nil)) == [Self.error("No device")])
  }

  @Test func watchingIsAddedUpAndEnded() {
    var client = GPSDClient(version: "")
    client.receive(Array(#"?WATCH={"enable":true};"#.utf8), Self.situation())
    #expect(client.policy.isEnabled && !client.isWatching)
    client.receive(Array(#"?WATCH={"json":true};"#.utf8), Self.situation())
    #expect(client.policy.wantsReports && !client.policy.wantsSentences)
    client.receive(Array(#"?WATCH={"nmea":true};"#.utf8), Self.situation())
    #expect(client.policy.wantsReports && client.policy.wantsSentences)
    client.receive(Array(#"?WATCH={"enable":false};"#.utf8), Self.situation())
    #expect(!client.isWatching)
  }

  @Test func aPollHasTheLastReportsForAClientThatWatches() throws {
    var situation = Self.situation()
    situation.reports.keep(Self.fix, isPrivate: false)
    situation.reports.keep(sky: Self.sky)
    #expect(Self.answers("?POLL;", situation)[0].contains(#""active":0,"tpv":[],"gst":[],"sky":[]"#))
    let poll = try #require(Self.answers(#"?WATCH={"enable":true};?POLL;"#, situation).last)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(poll.utf8)) as? [String: Any], "\(poll)")
    let tpv = try #require((object["tpv"] as? [[String: Any]])?.first)
    #expect(tpv["device"] as? String == "/dev/ttyACM0" && tpv["lat"] as? Double == 52.5)
    #expect(tpv["mode"] as? Int == 3 && tpv["time"] as? String == "2026-03-21T10:00:00.250Z")
    #expect((object["sky"] as? [[String: Any]])?.first?["nSat"] as? Int == 1)
    #expect(object["active"] as? Int == 1 && (object["gst"] as? [[String: Any]])?.first?["lat"] == nil)
  }

  struct Poll: Sendable, CustomTestStringConvertible {
    let promise: String
    var watch = #"{"enable":true}"#
    var driver: String? = "NMEA0183"
    var hasSentData = true
    var fix: Fix?
    var isPrivate = false
    var sky: [UInt8]?
    /// The objects after `"active":`.
    let expected: String
    var testDescription: String { promise }
  }

  /// The same time, position and accuracy as ``fix``, from a receiver that counts its satellites.
  static var counted: Fix {
    var fix = fix
    (fix.satellitesUsed, fix.satellitesSeen, fix.horizontalDilution) = (9, 14, 0.9)
    return fix
  }

  static let at = #""device":"/dev/ttyACM0""#
  static let timed = at + #","time":"2026-03-21T10:00:00.250Z""#
  static let seen =
    #"{"class":"TPV",\#(at),"mode":3,"time":"2026-03-21T10:00:00.250Z","lat":52.500000000,"#
    + #""lon":13.400000000,"altMSL":38.0000,"alt":38.0000,"epv":5.000,"speed":14.000,"eph":3.000}"#
  static let ellipse = #"{"class":"GST",\#(timed),"lat":2.121,"lon":2.121,"alt":5}"#

  static let polls = [
    Poll(
      promise: "without data the receiver is not active", hasSentData: false,
      expected: #"0,"tpv":[],"gst":[],"sky":[]"#),
    Poll(
      promise: "data without an epoch: mode 0",
      expected: #"1,"tpv":[{"class":"TPV",\#(at),"mode":0}],"gst":[{"class":"GST",\#(at)}],"#
        + #""sky":[{"class":"SKY",\#(at),"nSat":0,"uSat":0}]"#),
    Poll(
      promise: "an epoch without satellites: its counts", fix: counted,
      expected: #"1,"tpv":[\#(seen)],"gst":[\#(ellipse)],"#
        + #""sky":[{"class":"SKY",\#(timed),"hdop":0.9,"nSat":14,"uSat":9}]"#),
    Poll(
      promise: "an epoch and its satellites", fix: counted, sky: sky,
      expected: #"1,"tpv":[\#(seen)],"gst":[\#(ellipse)],"#
        + #""sky":[{"class":"SKY",\#(at),"nSat":1,"uSat":1,"satellites":[]}]"#),
    Poll(
      promise: "u-blox: the accuracy of TPV counts", driver: "u-blox", fix: counted,
      expected: #"1,"tpv":[\#(seen)],"gst":[{"class":"GST",\#(at)}],"#
        + #""sky":[{"class":"SKY",\#(timed),"hdop":0.9,"nSat":14,"uSat":9}]"#),
    Poll(
      promise: "in a privacy zone: no satellites", fix: counted, isPrivate: true, sky: sky,
      expected: #"1,"tpv":[{"class":"TPV",\#(at),"mode":1,"time":"2026-03-21T10:00:00.250Z"}],"#
        + #""gst":[{"class":"GST",\#(at)}],"sky":[{"class":"SKY",\#(timed),"nSat":0,"uSat":0}]"#),
    Poll(
      promise: "who does not watch gets nothing", watch: #"{"enable":false}"#, fix: counted, sky: sky,
      expected: #"0,"tpv":[],"gst":[],"sky":[]"#),
  ]

  /// Clients read the last object of each list without a check (gpsd-py3).
  @Test(arguments: polls) func aPollAlwaysHasAnObjectOfEachClass(_ test: Poll) {
    var device = Self.device
    (device.driver, device.hasSentData) = (test.driver, test.hasSentData)
    var situation = Self.situation(device)
    if let sky = test.sky { situation.reports.keep(sky: sky) }
    if let fix = test.fix { situation.reports.keep(fix, isPrivate: test.isPrivate) }
    let answer = Self.answers("?WATCH=\(test.watch)\n?POLL;\n", situation).last
    #expect(
      answer == #"{"class":"POLL","time":"2026-03-21T10:00:00.250Z","active":\#(test.expected)}"#,
      "\(answer ?? "")")
  }

  /// A client that watches without a form can only poll; one with another form shows satellites once it has polled.
  static let requests: [(requests: String, wantsSatellites: Bool)] = [
    ("", false), ("?POLL;", false), (#"?WATCH={"enable":true}"# + "\n", true),
    (#"?WATCH={"enable":true,"json":true};"#, true), (#"?WATCH={"enable":true,"nmea":true};"#, false),
    (#"?WATCH={"enable":true,"nmea":true};?POLL;"#, true), (#"?WATCH={"raw":1};"#, false),
    (#"?WATCH={"raw":2};?POLL;"#, true), (#"?WATCH={"enable":true};?WATCH={"enable":false};"#, false),
  ]

  @Test func satellitesAreWantedByWhoPolls() {
    for row in Self.requests {
      var client = GPSDClient(version: "")
      client.receive(Array(row.requests.utf8), Self.situation())
      #expect(client.wantsSatellites == row.wantsSatellites, "\(row.requests)")
    }
  }

  /// gpsd's clients take the accuracy of TPV for a 95 % value unless the driver is u-blox.
  @Test func otherDriversAlsoGetTheErrorEllipse() {
    var device = Self.device
    device.driver = "NMEA0183"
    var text: [UInt8] = []
    SharedReports.append(Self.fix, isPrivate: false, of: device, to: &text)
    let lines = String(decoding: text, as: UTF8.self).components(separatedBy: "\r\n")
    #expect(lines.count == 3 && lines[2].isEmpty)
    #expect(
      lines[1] == #"{"class":"GST","device":"/dev/ttyACM0","time":"2026-03-21T10:00:00.250Z","lat":2.121,"#
        + #""lon":2.121,"alt":5}"#)
    #expect(lines[0].hasPrefix(#"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time""#), "\(lines[0])")
    text = []
    SharedReports.append(Self.fix, isPrivate: false, of: Self.device, to: &text)
    #expect(String(decoding: text, as: UTF8.self).components(separatedBy: "\r\n").count == 2)
  }

  @Test func inAPrivacyZoneThereIsATimeAndNoFix() {
    var text: [UInt8] = []
    SharedReports.append(Self.fix, isPrivate: true, of: Self.device, to: &text)
    let line = #"{"class":"TPV","device":"/dev/ttyACM0","mode":1,"time":"2026-03-21T10:00:00.250Z"}"#
    #expect(String(decoding: text, as: UTF8.self) == line + "\r\n")
    var situation = Self.situation()
    situation.reports.keep(sky: Self.sky)
    situation.reports.keep(Self.fix, isPrivate: true)
    let poll = Self.answers(#"?WATCH={"enable":true};?POLL;"#, situation).last
    #expect(poll?.contains(#""active":1,"tpv":[\#(line)],"#) == true, "\(poll ?? "")")
    #expect(poll?.contains("lat") == false && poll?.contains("satellites") == false, "\(poll ?? "")")
  }

  @Test func aNameIsEscaped() {
    var device = SharedDevice(path: "/dev/\"tty\u{1}\\")
    device.subtype = "a\nb"
    #expect(
      Self.answers("?DEVICE;", Self.situation(device)) == [
        #"{"class":"DEVICE","path":"/dev/\"tty\u0001\\","subtype":"a\nb","native":0}"#
      ])
  }

  // MARK: Limits

  @Test func aRequestOfMoreThan4KiBEndsTheClient() {
    for (length, isEnded) in [(4000, false), (4096, false), (4097, true), (100_000, true)] {
      var client = GPSDClient(version: "")
      client.receive([UInt8](repeating: UInt8(ascii: "x"), count: length), Self.situation())
      #expect(client.hasFailed == isEnded, "\(length)")
      #expect(!isEnded || client.unsent.isEmpty)
    }
    var client = GPSDClient(version: "")
    for _ in 0..<5000 { client.receive([UInt8(ascii: "x")], Self.situation()) }
    #expect(client.hasFailed)
    // What follows has no effect.
    client.receive(Array("?VERSION;".utf8), Self.situation())
    client.send([1])
    #expect(client.unsent.isEmpty)
  }

  @Test func aClientThatDoesNotReadEndsWhenMoreThan16KiBWait() {
    var client = GPSDClient(version: "")
    client.sent(.max)
    client.send([UInt8](repeating: 1, count: 16_000))
    client.send([UInt8](repeating: 1, count: 384))
    #expect(!client.hasFailed && client.unsent.count == GPSDClient.unsentLimit)
    client.sent(1)
    client.send([1])
    #expect(!client.hasFailed)
    client.send([1])
    #expect(client.hasFailed && client.unsent.isEmpty)
    var talker = GPSDClient(version: "")
    talker.receive(Array(String(repeating: "?DEVICES;", count: 400).utf8), Self.situation())
    #expect(talker.hasFailed)
  }

  /// Every outcome but a trap is right.
  @Test func hostileBytesDoNoHarm() {
    var random = SplitMix64(seed: 7)
    let pieces = [
      "?WATCH=", "?POLL;", "{", "}", "\"", "\\", ";", "\n", "\u{0}", "é", "?DEVICE=", "1e999", "[", ":",
    ]
    for _ in 0..<2000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int(random.next() % 40) {
        if random.next() % 3 == 0 {
          bytes.append(UInt8(truncatingIfNeeded: random.next()))
        } else {
          bytes += Array(pieces[Int(random.next() % UInt64(pieces.count))].utf8)
        }
      }
      var client = GPSDClient(version: "")
      client.receive(bytes, Self.situation())
      client.sent(client.unsent.count)
      client.receive(Array("\n".utf8), Self.situation())
      client.sent(client.unsent.count)
      client.receive(Array("?VERSION;".utf8), Self.situation())
      #expect(client.hasFailed || String(decoding: client.unsent, as: UTF8.self).contains("VERSION"))
    }
  }
}
