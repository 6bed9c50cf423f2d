import Quantities
import Records

/// A location in the Overland format: a GeoJSON Feature with a point and its properties.
///
/// The text depends only on the stored whole numbers, with the keys in a fixed order, so a record always yields the
/// same bytes. Every property is always present, because one server drops a point that lacks one.
///
/// | property | unit | unknown |
/// | --- | --- | --- |
/// | `timestamp` | UTC with `Z`, whole seconds, truncated | – |
/// | `altitude` | m, integer | `0` with `vertical_accuracy` `-1`, because the protocol has no sentinel |
/// | `speed` | m/s, truncated to 2 decimals | `-1` |
/// | `course` | degrees, integer 0...360 | `-1` |
/// | `horizontal_accuracy` | m, integer, at least 1 | ``unknownHorizontalAccuracy`` |
/// | `vertical_accuracy` | m, integer | `-1` |
/// | `speed_accuracy`, `course_accuracy` | m/s and degrees, truncated to 2 decimals, below 1000 | `-1` |
/// | `motion` | words in the protocol's order | `[]` |
/// | `battery_level` | 0...1 in hundredths | `-1` |
///
/// Integers are rounded half away from zero. A location of a trip has `trip_id`, and one that was stored with tracking
/// statistics has the protocol's five keys for them. ``OverlandProfile`` lists the differences of servers.
public struct OverlandFeature: Equatable, Sendable {
  /// The value in metres for a fix of unknown accuracy.
  ///
  /// A negative number would declare the position invalid. Home Assistant and Reitti drop a point with 0 or without the
  /// key, incognita drops it above 200.
  public static let unknownHorizontalAccuracy = 100

  public let location: LocationRecord
  public let time: Timestamp
  /// True for an ordinary location. `current`, `current_location` and `end_location` have no `trip_id` and no
  /// statistics.
  public let isWhole: Bool

  public init(_ location: LocationRecord, time: Timestamp, isWhole: Bool = true) {
    self.location = location
    self.time = time
    self.isWhole = isWhole
  }

  /// Creates the Feature; nil for other records, for an undated location, and for latitude 0 with longitude 0, which
  /// servers interpret as "no position".
  public init?(_ record: LogRecord, isWhole: Bool = true) {
    guard case .location(let location) = record.body, let time = record.time,
      !location.coordinate.isNullIsland
    else { return nil }
    self.init(location, time: time, isWhole: isWhole)
  }

  /// Appends the Feature in the form of a profile.
  public func append(to text: inout [UInt8], for profile: OverlandProfile = .overland) {
    text.appendFeature(at: location.coordinate, time: time, for: profile)
    if profile.keepsDigits {
      appendDigits(to: &text)
    } else {
      text.append(#","altitude":"#)
      text.appendDecimal(Self.rounded(location.altitudeMillimetres ?? 0), decimals: 0)
      appendMeasurements(to: &text, for: profile)
    }
    appendMotion(profile.motion, to: &text)
    text.appendDevice(location.device, for: profile)
    if let historic = profile.historic { append(historic, to: &text) }
    if isWhole { appendTrip(to: &text, for: profile) }
    text.append("}}")
  }

  /// The horizontal accuracy in metres, at least 1; ``unknownHorizontalAccuracy`` if unknown.
  var horizontalAccuracy: Int64 { accuracy(ifUnknown: Self.unknownHorizontalAccuracy) }

  private func accuracy(ifUnknown unknown: Int) -> Int64 {
    let radius = location.horizontalAccuracyMillimetres.flatMap { $0 < 0 ? nil : Self.rounded($0) }
    return max(radius ?? Int64(unknown), 1)
  }

  /// Appends the keys and sentinels of ``appendMeasurements(to:for:)``, with thousandths.
  private func appendDigits(to text: inout [UInt8]) {
    func append(_ key: StaticString, _ thousandths: Int32?) {
      text.append(key)
      guard let thousandths, thousandths >= 0 else { return text.append("-1") }
      text.appendDecimal(Int64(thousandths), decimals: 3)
    }
    text.append(#","altitude":"#)
    text.appendDecimal(Int64(location.altitudeMillimetres ?? 0), decimals: 3)
    append(#","speed":"#, location.speedMillimetresPerSecond)
    append(#","course":"#, location.courseMillidegrees)
    let radius = location.horizontalAccuracyMillimetres.flatMap { $0 < 0 ? nil : $0 }
    append(#","horizontal_accuracy":"#, radius ?? Int32(Self.unknownHorizontalAccuracy * 1000))
    append(
      #","vertical_accuracy":"#,
      location.altitudeMillimetres == nil ? nil : location.verticalAccuracyMillimetres)
    append(#","speed_accuracy":"#, location.speedAccuracyMillimetresPerSecond)
    append(#","course_accuracy":"#, location.courseAccuracyMillidegrees)
  }

  private func appendMeasurements(to text: inout [UInt8], for profile: OverlandProfile) {
    text.append(#","speed":"#)
    if profile.hasWholeSpeed {
      text.appendWhole(location.speedMillimetresPerSecond)
    } else {
      Self.append(location.speedMillimetresPerSecond, cutBelow: .max, to: &text)
    }
    text.append(#","course":"#)
    text.appendWhole(location.courseMillidegrees)
    text.append(#","horizontal_accuracy":"#)
    text.appendDecimal(accuracy(ifUnknown: profile.unknownAccuracy), decimals: 0)
    text.append(#","vertical_accuracy":"#)
    let knowsHeight = location.altitudeMillimetres != nil
    text.appendWhole(knowsHeight ? location.verticalAccuracyMillimetres : nil)
    text.append(#","speed_accuracy":"#)
    Self.append(location.speedAccuracyMillimetresPerSecond, cutBelow: 1_000_000, to: &text)
    text.append(#","course_accuracy":"#)
    Self.append(location.courseAccuracyMillidegrees, cutBelow: 1_000_000, to: &text)
  }

  private func appendMotion(_ words: OverlandProfile.MotionVocabulary, to text: inout [UInt8]) {
    text.append(#","motion":["#)
    guard words == .overland else {
      text.append("\"")
      text.append(Self.traceVocabulary.first { location.motion.contains($0.state) }?.word ?? "unknown")
      text.append("\"]")
      return
    }
    var separator: StaticString = "\""
    for (state, word) in MotionStates.words where location.motion.contains(state) {
      text.append(separator)
      text.append(word)
      text.append("\"")
      separator = ",\""
    }
    text.append("]")
  }

  /// The priority of the states for Trace, which has one word only.
  private static let traceVocabulary: [(state: MotionStates, word: StaticString)] = [
    (.cycling, "cycling"), (.driving, "automotive"), (.walking, "walking"), (.running, "running"),
    (.stationary, "stationary"),
  ]

  private func append(_ historic: OverlandProfile.Historic, to text: inout [UInt8]) {
    text.append(#","deferred":"#)
    text.appendDecimal(Int64(historic.deferredMetres), decimals: 0)
    text.append(#","significant_change":"#)
    let word = location.statistics.map { OverlandProfile.SignificantChange($0.mode) }
    text.appendJSONString((word ?? historic.significantChange).rawValue)
  }

  private func appendTrip(to text: inout [UInt8], for profile: OverlandProfile) {
    if let start = location.trip?.time {
      text.append(#","trip_id":"#)
      text.appendTime(start)
    }
    guard let statistics = location.statistics else {
      if let lasting = profile.lasting { append(lasting, count: profile.payloadCount, to: &text) }
      return
    }
    text.append(#","pauses":"#)
    text.append(statistics.pauses ? "true" : "false")
    text.append(#","activity":""#)
    text.append(statistics.activity.word)
    text.append(#"","desired_accuracy":"#)
    text.appendDecimal(statistics.desiredAccuracy.number, decimals: 0)
    text.append(#","tracking_mode":"#)
    text.appendDecimal(statistics.mode.number, decimals: 0)
    text.append(#","locations_in_payload":"#)
    text.appendDecimal(Int64(profile.payloadCount), decimals: 0)
  }

  /// Appends the keys of the tracking statistics for a location that was stored without them, with neutral values.
  private func append(_ keys: OverlandProfile.LastingKeys, count: Int, to text: inout [UInt8]) {
    switch keys {
    case .activity: text.append(#","activity":"other""#)
    case .oldest:
      text.append(#","pauses":false,"activity":"other","desired_accuracy":-1,"locations_in_payload":"#)
      text.appendDecimal(Int64(count), decimals: 0)
    }
  }

  /// Rounds thousandths to whole units, half away from zero.
  static func rounded(_ thousandths: Int32) -> Int64 {
    let value = Int64(thousandths)
    return (value + (value < 0 ? -500 : 500)) / 1000
  }

  /// Appends a non-negative number of thousandths, truncated to hundredths; `-1` if unknown.
  private static func append(_ thousandths: Int32?, cutBelow limit: Int32, to text: inout [UInt8]) {
    guard let thousandths, thousandths >= 0 else { return text.append("-1") }
    text.appendDecimal(Int64(min(thousandths, limit - 1) / 10), decimals: 2)
  }
}

extension [UInt8] {
  /// Appends a non-negative number of thousandths as an integer; `-1` if unknown.
  mutating func appendWhole(_ thousandths: Int32?) {
    guard let thousandths, thousandths >= 0 else { return append("-1") }
    appendDecimal(OverlandFeature.rounded(thousandths), decimals: 0)
  }
}

extension OverlandProfile.SignificantChange {
  /// Creates the word for a tracking mode. `exclusive` means coarse positions only.
  public init(_ mode: TrackingMode) {
    switch mode {
    case .off, .standard: self = .disabled
    case .both: self = .enabled
    case .significant: self = .exclusive
    }
  }
}

extension ActivityType {
  fileprivate var word: StaticString {
    switch self {
    case .other: "other"
    case .car: "automotive_navigation"
    case .fitness: "fitness"
    case .nav: "other_navigation"
    case .air: "airborne"
    }
  }
}

extension DesiredAccuracy {
  /// The value in the Overland protocol: metres, or −2 and −1 for the two best.
  fileprivate var number: Int64 {
    switch self {
    case .nav: -2
    case .best: -1
    case .metres10: 10
    case .metres100: 100
    case .kilometre1: 1000
    case .kilometres3: 3000
    }
  }
}

extension TrackingMode {
  /// The number of the mode in the Overland protocol.
  fileprivate var number: Int64 {
    switch self {
    case .off: 0
    case .standard: 1
    case .significant: 2
    case .both: 3
    }
  }
}
