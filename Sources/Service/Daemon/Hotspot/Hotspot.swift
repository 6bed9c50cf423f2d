import Quantities
import Settings

/// The hotspot of the system as the logger knows it: it is started and ended by units, and ends by itself after ten
/// minutes.
struct Hotspot: Equatable, Sendable {
  /// What a phone needs to join, and the end, as the unit that starts the hotspot writes them.
  struct Facts: Equatable, Sendable {
    var ssid: String
    var password: String
    /// The address of the device in its network.
    var address: String
    var until: Moment

    /// Reads lines `KEY=VALUE`; nil without one of the keys. `until` is in seconds of the boot clock.
    init?(_ text: [UInt8]) {
      var values: [String: String] = [:]
      for line in String(decoding: text.prefix(Self.limit), as: UTF8.self).split(separator: "\n") {
        guard let equals = line.firstIndex(of: "=") else { continue }
        values[String(line[..<equals])] = String(line[line.index(after: equals)...])
      }
      guard let ssid = values["ssid"], let password = values["password"], let address = values["address"],
        let until = values["until"].flatMap({ Int64($0) }), (0...Self.latest).contains(until)
      else { return nil }
      (self.ssid, self.password, self.address) = (ssid, password, address)
      self.until = .zero + .seconds(until)
    }

    private static let limit = 1024
    /// 100 years of uptime.
    private static let latest: Int64 = 3_155_760_000
  }

  /// The present phase.
  enum Phase: Equatable, Sendable {
    /// Off, with the reason why the last start failed.
    case off(failure: String?)
    case starting
    case on(Facts)
    case ending
  }

  /// The units of the package.
  static let (startUnit, endUnit) = ("outrider-hotspot-on.service", "outrider-hotspot-off.service")
  /// The file that the unit writes, readable for the group of the logger.
  static let file = "/run/outrider-hotspot/state"

  private(set) var phase = Phase.off(failure: nil)

  /// True while the radio draws current for the hotspot.
  var isOn: Bool {
    switch phase {
    case .off: false
    case .starting, .on, .ending: true
    }
  }

  /// The time at which the hotspot ends; nil unless it is on.
  var nextTimeout: Moment? { if case .on(let facts) = phase { facts.until } else { nil } }

  /// Begins a start. Returns false if a unit runs already; a hotspot that is on gets ten further minutes.
  mutating func start() -> Bool { begin(.starting) }

  /// Begins the end. Returns false if a unit runs already, or if the hotspot is off.
  mutating func end() -> Bool { if case .off = phase { false } else { begin(.ending) } }

  private mutating func begin(_ next: Phase) -> Bool {
    switch phase {
    case .starting, .ending: return false
    case .off, .on:
      phase = next
      return true
    }
  }

  /// A unit has ended, with the reason of a failure. `facts` is what the file says now.
  mutating func unitEnded(failure: String?, facts: Facts?, now: Moment) {
    switch phase {
    case .starting: follow(facts, failure: failure ?? "the hotspot did not start", now: now)
    case .ending: follow(failure == nil ? nil : facts, failure: failure, now: now)
    case .off, .on: break
    }
  }

  /// Adopts a hotspot that an earlier run of the logger started.
  mutating func found(_ facts: Facts?, now: Moment) {
    if case .off = phase, facts != nil { follow(facts, failure: nil, now: now) }
  }

  /// The hotspot has ended by its timer.
  mutating func handleTimeout(now: Moment) {
    if let nextTimeout, now >= nextTimeout { phase = .off(failure: nil) }
  }

  private mutating func follow(_ facts: Facts?, failure: String?, now: Moment) {
    if let facts, facts.until > now { phase = .on(facts) } else { phase = .off(failure: failure) }
  }

  /// The state as a JSON object. `port` is the one of the page.
  func json(port: UInt16?, now: Moment) -> String {
    var text: [UInt8] = []
    switch phase {
    case .off(let failure):
      text.append(#"{"state":"off""#)
      if let failure {
        text.append(#","trouble":"#)
        text.appendJSONString(failure)
      }
    case .starting: text.append(#"{"state":"starting""#)
    case .ending: text.append(#"{"state":"ending""#)
    case .on(let facts):
      text.append(#"{"state":"on","ssid":"#)
      text.appendJSONString(facts.ssid)
      text.append(#","password":"#)
      text.appendJSONString(facts.password)
      text.append(#","address":"#)
      text.appendJSONString("http://\(facts.address)\(port.map { ":\($0)" } ?? "")/")
      text.append(#","ends_in_s":"#)
      text.appendPadded(Int(clamping: max((facts.until - now).components.seconds, 0)), digits: 1)
    }
    text.append("}")
    return String(decoding: text, as: UTF8.self)
  }

  /// The reason why the page could not be opened through a hotspot, with the remedy; nil if it can.
  static func obstacle(in api: APISettings, shortestToken: Int) -> String? {
    guard let token = api.token?.revealed, token.utf8.count >= shortestToken else {
      return
        "the hotspot requires api.token of at least \(shortestToken) characters; create it with sudo outrider page "
        + "--token"
    }
    let host = api.listen.map { $0.prefix(upTo: $0.lastIndex(of: ":") ?? $0.endIndex) }
    guard api.isEnabled, let host, ["0.0.0.0", "[::]"].contains(host) else {
      return
        "the hotspot requires api.listen on all addresses; set api.listen=0.0.0.0:8080 with sudo outrider set"
    }
    return nil
  }
}
