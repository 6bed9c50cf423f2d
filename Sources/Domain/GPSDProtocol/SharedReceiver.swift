import GNSSProtocol
import GNSSReport
import Quantities

/// The receiver as clients see it (DEVICE in gpsd_json(5)).
public struct SharedDevice: Equatable, Sendable {
  /// The serial port, or the address of the gpsd that has the receiver.
  public var path: String
  /// gpsd's name of the driver; nil while the receiver is not identified.
  public var driver: String?
  /// The firmware.
  public var subtype: String?
  /// The module.
  public var subtype1: String?
  /// The time since which the port is open; nil while it is not.
  public var activated: Timestamp?
  /// The baud rate; nil if it is unknown, and for a port without one.
  public var speed: Int?
  /// True if the receiver sends a binary protocol.
  public var isBinary = false
  /// True once the receiver has sent valid data.
  public var hasSentData = false

  public init(path: String) { self.path = path }

  /// Appends the DEVICE object without a line end.
  func append(to text: inout [UInt8]) {
    text.append(#"{"class":"DEVICE""#)
    func append(_ key: StaticString, _ value: String?) {
      guard let value else { return }
      text.append(key)
      text.appendJSONString(value)
    }
    append(#","path":"#, path)
    append(#","driver":"#, driver)
    append(#","subtype":"#, subtype)
    append(#","subtype1":"#, subtype1)
    if let activated {
      append(#","activated":"#, activated.iso8601(fraction: .milliseconds))
      // SEEN_GPS
      text.append(#","flags":1"#)
    }
    text.append(isBinary ? #","native":1"# : #","native":0"#)
    if let speed {
      text.append(#","bps":"#)
      text.appendPadded(speed, digits: 1)
      text.append(#","parity":"N","stopbits":1"#)
    }
    text.append("}")
  }
}

/// The objects about one epoch and about the satellites, each rendered once for all clients.
///
/// The accuracies are 68 % values, as in the log. A receiver whose driver is not u-blox also gets a GST object,
/// because clients take TPV's figures of other receivers for 95 % values.
public struct SharedReports: Sendable {
  /// The driver whose accuracies clients use unchanged.
  public static let ubloxDriver = "u-blox"

  private var fix: (fix: Fix, isPrivate: Bool)?
  private var sky: [UInt8]?

  public init() {}

  /// Forgets the satellites: nobody shows them, so the receiver may not report them any more.
  public mutating func forgetSatellites() { sky = nil }

  /// Keeps an epoch for POLL. The position of a private one is not kept.
  public mutating func keep(_ fix: Fix, isPrivate: Bool) {
    self.fix = (isPrivate ? Self.withoutPosition(fix) : fix, isPrivate)
    if isPrivate { sky = nil }
  }

  /// Removes position and satellites: the device is in a privacy zone.
  public mutating func hide() {
    fix = fix.map { (Self.withoutPosition($0.fix), true) }
    sky = nil
  }

  /// Keeps the satellites for POLL: an object as ``SKY`` writes it.
  public mutating func keep(sky: [UInt8]) { self.sky = sky }

  /// Appends the objects of an epoch, TPV first, each with its line end.
  public static func append(_ fix: Fix, isPrivate: Bool, of device: SharedDevice?, to text: inout [UInt8]) {
    let fix = isPrivate ? withoutPosition(fix) : fix
    append(tpv: fix, device, to: &text)
    text.append("\r\n")
    if device?.driver != ubloxDriver, appendDeviation(of: fix, device, to: &text) { text.append("\r\n") }
  }

  /// Appends a SKY object with the device and a line end.
  public static func append(sky: [UInt8], of device: SharedDevice?, to text: inout [UInt8]) {
    insert(device, into: sky[...], to: &text)
    text.append("\r\n")
  }

  /// Appends the POLL object with its line end; without content if the client does not watch.
  ///
  /// As in gpsd, each list has one object from the first data of the receiver on, whatever is known: clients read the last
  /// object of a list without a check. In a privacy zone these objects have neither position nor satellites.
  func appendPoll(to text: inout [UInt8], of device: SharedDevice?, isWatching: Bool, time: Timestamp) {
    text.append(#"{"class":"POLL","time":""#)
    time.appendISO8601(to: &text, fraction: .milliseconds)
    guard isWatching, fix != nil || device?.hasSentData == true else {
      text.append(#"","active":0,"tpv":[],"gst":[],"sky":[]}"#)
      text.append("\r\n")
      return
    }
    text.append(#"","active":1,"tpv":["#)
    if let fix { Self.append(tpv: fix.fix, device, to: &text) } else { Self.appendUnseen(device, to: &text) }
    text.append(#"],"gst":["#)
    let bare = Fix()
    let deviation = device?.driver == Self.ubloxDriver ? bare : fix?.fix ?? bare
    if !Self.appendDeviation(of: deviation, device, to: &text) {
      Self.insert(device, into: Array(#"{"class":"GST"}"#.utf8)[...], to: &text)
    }
    text.append(#"],"sky":["#)
    if fix?.isPrivate != true, let sky {
      Self.insert(device, into: sky[...], to: &text)
    } else {
      var counts: [UInt8] = []
      SKY.append(countsOf: fix?.fix ?? bare, to: &counts)
      Self.insert(device, into: counts[...], to: &text)
    }
    text.append("]}\r\n")
  }

  /// Appends the TPV object of a receiver without an epoch: mode 0, as in gpsd.
  private static func appendUnseen(_ device: SharedDevice?, to text: inout [UInt8]) {
    insert(device, into: Array(#"{"class":"TPV","mode":0}"#.utf8)[...], to: &text)
  }

  /// The epoch in a privacy zone: its time, without a fix.
  private static func withoutPosition(_ fix: Fix) -> Fix {
    var bare = Fix()
    (bare.timestamp, bare.millisecondOfDay) = (fix.timestamp, fix.millisecondOfDay)
    return bare
  }

  private static func append(tpv fix: Fix, _ device: SharedDevice?, to text: inout [UInt8]) {
    var line: [UInt8] = []
    TPV.append(fix, to: &line)
    insert(device, into: line[...], to: &text)
  }

  /// Appends a GST object without a line end; false if the accuracy is unknown.
  private static func appendDeviation(
    of fix: Fix, _ device: SharedDevice?, to text: inout [UInt8]
  ) -> Bool {
    guard let accuracy = fix.horizontalAccuracy, accuracy.isFinite, accuracy < 1e9 else { return false }
    var line = Array(#"{"class":"GST""#.utf8)
    if let timestamp = fix.timestamp {
      line.append(#","time":""#)
      timestamp.appendISO8601(to: &line, fraction: .milliseconds)
      line.append("\"")
    }
    func append(_ key: StaticString, _ value: Double?) {
      guard let value, value.isFinite, value < 1e9 else { return }
      line.append(key)
      line.appendDecimal(Int64((value * 1000).rounded()), decimals: 3)
    }
    // The horizontal accuracy is the root of the sum of both squares.
    append(#","lat":"#, accuracy * 0.5.squareRoot())
    append(#","lon":"#, accuracy * 0.5.squareRoot())
    append(#","alt":"#, fix.verticalAccuracy)
    line.append("}")
    insert(device, into: line[...], to: &text)
    return true
  }

  /// Appends an object of a class with three letters, with the device after the class and without a line feed.
  private static func insert(_ device: SharedDevice?, into object: ArraySlice<UInt8>, to text: inout [UInt8])
  {
    let classLength = #"{"class":"TPV""#.utf8.count
    text += object.prefix(classLength)
    if let device {
      text.append(#","device":"#)
      text.appendJSONString(device.path)
    }
    text += object.dropFirst(classLength).prefix { $0 != UInt8(ascii: "\n") }
  }
}
