import Foundation
import Quantities
import Testing

@testable import Devices

/// Whatever a gpsd sends, libgps neither aborts, nor runs on, nor keeps later data away.
@Suite struct HostileGPSDTests {
  private static func satellites(_ count: Int) -> String {
    let one = #"{"PRN":1,"el":99999,"az":-1,"ss":1e300,"used":true,"gnssid":255,"svid":-1}"#
    return #"{"class":"SKY","satellites":["# + Array(repeating: one, count: count).joined(separator: ",")
      + "]}"
  }

  private static let long = String(repeating: "y", count: 9000)

  static let lines: [(String, String)] = [
    ("empty", ""), ("brace", "{"), ("brackets", String(repeating: "[", count: 9000)),
    ("nested objects", String(repeating: #"{"a":"#, count: 2000)), ("line of 9,000 bytes", long),
    ("line of 200,000 bytes", String(repeating: "z", count: 200_000)),
    ("long class", #"{"class":"\#(long)"}"#),
    ("long attribute", #"{"class":"TPV","\#(long)":1}"#),
    ("long device", #"{"class":"TPV","device":"\#(long)"}"#),
    ("unknown class", #"{"class":"XYZ","a":1}"#), ("class of another type", #"{"class":7}"#),
    ("array as class", #"{"class":["TPV"]}"#),
    ("mode of 30 digits", #"{"class":"TPV","mode":999999999999999999999999999999}"#),
    ("latitude 1e999", #"{"class":"TPV","mode":3,"lat":1e999,"lon":-1e999}"#),
    ("latitude nan", #"{"class":"TPV","mode":3,"lat":nan,"lon":inf}"#), ("satellites", satellites(20)),
    ("1,000 satellites", satellites(1000)),
    ("satellites of another type", #"{"class":"SKY","satellites":7}"#),
    ("satellites in satellites", #"{"class":"SKY","satellites":[[{"PRN":1}]]}"#),
    (
      "1,000 devices",
      #"{"class":"DEVICES","devices":[\#(Array(repeating: #"{"path":"/dev/a"}"#, count: 1000).joined(separator: ","))]}"#
    ),
    (
      "long version",
      #"{"class":"VERSION","release":"\#(long)","rev":"\#(long)","proto_major":99999,"proto_minor":-1}"#
    ),
    ("long error", #"{"class":"ERROR","message":"\#(long)"}"#),
    ("year 0", #"{"class":"TPV","mode":3,"time":"0000-00-00T00:00:00Z"}"#),
    ("year 999999", #"{"class":"TPV","mode":3,"time":"999999-99-99T99:99:99.999999999999Z"}"#),
    ("subframe", #"{"class":"SUBFRAME","device":"a","EPHEM1":{"WN":99999}}"#),
    ("RTCM 2", #"{"class":"RTCM2","type":99,"satellites":[{"ident":1}]}"#),
    ("RTCM 3", #"{"class":"RTCM3","type":1004,"satellites":[]}"#),
    ("AIS", #"{"class":"AIS","type":99,"scaled":true,"mmsi":-1}"#),
    ("AIS 24", #"{"class":"AIS","type":24,"repeat":0,"mmsi":1,"shipname":"\#(long)"}"#),
    ("IMU", #"{"class":"IMU","acc_x":"x"}"#),
    ("ATT", #"{"class":"ATT","heading":1e999}"#),
    ("TOFF", #"{"class":"TOFF","real_sec":-9223372036854775809}"#),
    ("PPS", #"{"class":"PPS","precision":9999999999999}"#), ("OSC", #"{"class":"OSC","delta":"a"}"#),
    (
      "RAW",
      #"{"class":"RAW","rawdata":[\#(Array(repeating: #"{"gnssid":0}"#, count: 1000).joined(separator: ","))]}"#
    ),
    ("escapes", #"{"class":"TPV","device":"\u0000\ud800\x\"}"#), ("control characters", "\u{1}\u{2}\u{7F}"),
    ("NUL", "{\"class\":\"TPV\",\0\"mode\":3}"), ("AIVDM", "!AIVDM,1,1,,A,15RTgt0PAso;90TKcjM8h6g208CQ,0*4A"),
    ("superstar binary", "\u{10}\u{3}\u{10}\u{2}"), ("only a quotation mark", "\""),
    ("HTTP", "HTTP/1.1 400 Bad Request"),
    // libgps 3.25 never returns from these.
    ("class twice", #"{"class":"TPV","class":"SKY"}"#), ("class at the end", #"{"mode":"x","class":"TPV"}"#),
    ("refused attribute before a class", #"{"class":"TPV","mode":"x","class":"TPV"}"#),
    ("two objects, the first refused", #"{"class":"TPV","mode":[1]}{"class":"SKY"}"#),
    ("class of a satellite", #"{"class":"SKY","satellites":[{"PRN":"x","class":"SKY"}]}"#),
    (
      "five receivers",
      #"{"class":"DEVICES","devices":["#
        + (1...5).map { #"{"class":"DEVICE","path":"/dev/\#($0)"}"# }.joined(separator: ",") + "]}"
    ), ("class of the receiver refused", #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":7}]}"#),
  ]

  @Test(arguments: lines.indices)
  func noLineEndsTheProgram(_ index: Int) throws {
    let bench = try GPSDBench()
    let gpsd = try ScriptedGPSD(bench.loop, port: bench.port)
    bench.source.start()
    try bench.wait { gpsd.connections == 1 && bench.source.isOpen }
    gpsd.send(Self.lines[index].1 + "\r\n")
    gpsd.sendLine(Self.lines[index].1)
    // The next line, or the next connection, has a position.
    gpsd.greeting.append(ScriptedGPSD.position(80_000))
    gpsd.sendLine(ScriptedGPSD.position(40_000))
    let end = bench.loop.addTimer("end") { _ in gpsd.hangUp() }
    end.arm(at: bench.loop.now + .milliseconds(200))
    try bench.wait { bench.fixes.contains { $0.latitude == 52.5 } }
  }
}
