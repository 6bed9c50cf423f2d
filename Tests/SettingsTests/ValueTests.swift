import Quantities
import Testing

@testable import Settings

@Suite struct ValueTests {
  static let durations: [(String, Int64?)] = [
    ("200ms", 200), ("0s", 0), ("5m", 300_000), ("1.5h", 5_400_000), ("30d", 2_592_000_000), ("90 s", 90_000),
    ("0.001s", 1), ("0.0001s", nil), ("5", nil), ("", nil), ("s", nil), (".5s", nil), ("5.s", nil),
    ("-5s", nil),
    ("+5s", nil), ("5S", nil), ("5 m s", nil), ("5m ", nil), ("1e3s", nil), ("1.2.3s", nil), ("٥s", nil),
    ("9223372036854775807ms", .max), ("9223372036854775808ms", nil), ("106751991168d", nil),
    ("0.00000000000000000000000s", nil),
  ]

  @Test(arguments: durations)
  func durationsAreExactToTheMillisecond(text: String, milliseconds: Int64?) {
    #expect(UnitTable.duration.value(of: text) == milliseconds)
  }

  @Test(
    arguments: [
      ("512MB", 512_000_000), ("1kB", 1000), ("1KiB", 1024), ("2MiB", 2 << 20), ("1.5GB", 1_500_000_000),
      ("1GiB", 1 << 30), ("7B", 7), ("1mb", nil), ("1KB", nil), ("1M", nil),
    ] as [(String, Int64?)])
  func decimalAndBinarySizesDiffer(text: String, bytes: Int64?) {
    #expect(UnitTable.bytes.value(of: text) == bytes)
  }

  @Test(arguments: [("25m", 25_000), ("1km", 1_000_000), ("0.5m", 500), ("5s", nil)] as [(String, Int64?)])
  func mIsMetresInADistance(text: String, millimetres: Int64?) {
    #expect(UnitTable.distance.value(of: text) == millimetres)
  }

  @Test(arguments: 0..<20)
  func everyTextIsReadBackAsTheSameValue(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for table in [UnitTable.duration, .distance, .bytes] {
      for _ in 0..<50 {
        let count = Int64.random(
          in: 0...(Int64.max >> Int64.random(in: 0..<63, using: &random)), using: &random)
        #expect(table.value(of: table.text(of: count)) == count)
      }
    }
  }

  static let ranges: [(override: String, isTaken: Bool)] = [
    ("send_interval=1s", true), ("send_interval=1d", true), ("send_interval=off", true),
    ("send_interval=999ms", false), ("send_interval=25h", false),
    ("storage.commit_interval=0s", true), ("storage.commit_interval=10m", true),
    ("storage.commit_interval=601s", false), ("storage.commit_interval=off", false),
    ("storage.retention=off", true), ("storage.retention=1m", false),
    ("storage.limit=1MB", true), ("storage.limit=999kB", false), ("storage.limit=off", false),
    ("main.min_time=0s", true), ("main.min_time=90s", true), ("main.min_time=86401s", false),
    ("main.min_distance=0m", true), ("main.min_distance=100km", true), ("main.min_distance=100.001km", false),
    ("main.batch_size=1", true), ("main.batch_size=1000", true), ("main.batch_size=1001", false),
    ("main.batch_size=1.5", false), ("main.batch_size=NaN", false), ("main.batch_size=-Infinity", false),
    ("main.batch_size=1e999", false), ("main.desired_accuracy=10m", true),
    ("main.desired_accuracy=10 m", false),
    ("receiver.speed=4800", true), ("receiver.speed=921600", true), ("receiver.speed=4799", false),
    ("receiver.speed=-1", false), ("receiver.speed=1e30", false), ("receiver.speed=fast", false),
    ("receiver.gpsd=localhost", true), ("receiver.gpsd=10.0.0.1:1", true),
    ("receiver.gpsd=[::1]:65535", true),
    ("receiver.gpsd=", false), ("receiver.gpsd=:2947", false), ("receiver.gpsd=h:0", false),
    ("receiver.gpsd=h:65536", false), ("receiver.gpsd=h:", false), ("receiver.gpsd=h:+1", false),
    ("receiver.gpsd=::1", false), ("receiver.gpsd=[::1", false), ("receiver.gpsd=[h]", false),
    ("receiver.gpsd=[]:1", false), ("receiver.gpsd=a b", false), ("receiver.gpsd=/dev/x", false),
    ("receiver.gpsd=gpsd://h", false),
    ("receiver.port=", false), ("storage.directory=", false), ("device_id=", true),
    ("api.enabled=false", true),
    ("api.enabled=0", false), ("destinations=[]", true), ("destinations={}", false),
    ("destinations=null", false),
  ]

  @Test(arguments: ranges)
  func bothEndsOfARangeAreEnforced(override: String, isTaken: Bool) {
    #expect(refusals(set: [override]).isEmpty == isTaken)
  }

  static let endpoints: [(String, String?)] = [
    ("http://h", "http://h"), ("HTTPS://Example.org:8443/api?k=v", "https://Example.org:8443/…"),
    ("https://u:p@h", "https://h/…"), ("http://[::1]:8080/x", "http://[::1]:8080/…"),
    ("http://[::1]", "http://[::1]"),
    ("https://h?lat=%LAT", "https://h/…"), ("http://h:65535", "http://h:65535"), ("http://h:65536", nil),
    ("http://h:0", nil), ("http://h:", nil), ("http://h:+5", nil), ("http://", nil), ("http:///path", nil),
    ("https://u@/x", nil), ("mqtts://u:p@h:8883", "mqtts://h:8883/…"), ("ftp://h", nil), ("h", nil),
    ("", nil), ("http://a b", nil), ("http://h/\n", nil),
    ("http://[::1", nil),
  ]

  @Test(arguments: endpoints)
  func theDescriptionOfAnEndpointShowsOnlyItsHost(text: String, shown: String?) {
    #expect(Endpoint(text)?.description == shown)
    #expect(Endpoint(text).map(\.text) == (shown == nil ? nil : text))
  }
}
