import Devices
import Glibc
import Records

extension EventRecord {
  /// The event of what happened to the receiver's line; nil for what no log needs.
  init?(_ notice: ReceiverLine.Notice, port: String) {
    switch notice {
    case .found(let speed):
      self.init(.receiverFound, detail: "\(port): valid frames at \(speed) baud", value: Int64(speed))
    case .lost(let error):
      self.init(
        .receiverLost, detail: "\(error); \(Self.remedy(for: error.number)), it is tried again all the time")
    case .garbled:
      self.init(
        .receiverGarbled,
        detail: "\(port): bytes but no valid frame at any speed; check the wiring and receiver.speed")
    case .silent(let seconds):
      self.init(.receiverSilent, detail: "\(port): nothing for \(seconds) s", value: seconds)
    case .speaking:
      self.init(.receiverFound, detail: "\(port): speaks again")
    }
  }

  /// The event of what happened to a receiver that gpsd shares.
  init(_ notice: GPSDSource.Notice, of source: GPSDSource) {
    let name = "gpsd at \(source.address)"
    switch notice {
    case .found:
      let device = source.device?.described ?? "a receiver"
      self.init(
        .receiverFound, detail: "\(name)\(source.release.map { ", version \($0)" } ?? ""): \(device) speaks")
    case .lost(let failure):
      self.init(
        .receiverLost,
        detail: "\(name): \(failure); \(Self.remedy(for: failure)), it is tried again all the time")
    case .silent(let seconds):
      self.init(
        .receiverSilent,
        detail: "\(name): nothing of a receiver for \(seconds) s; ask gpsmon or cgps whether gpsd has one",
        value: seconds)
    case .speaking: self.init(.receiverFound, detail: "\(name): speaks again")
    }
  }

  private static func remedy(for failure: GPSDFailure) -> String {
    switch failure {
    case .unknownHost: "check the host in receiver.gpsd"
    case .unreachable: "check that gpsd runs and receiver.gpsd names its port"
    case .noAnswer: "check the network and receiver.gpsd"
    case .ended: "look into the journal of gpsd"
    case .deviceGone: "check its cable"
    case .library, .system: "check receiver.gpsd"
    }
  }

  private static func remedy(for number: Int32) -> String {
    switch number {
    case ENOENT: "check receiver.port and the cable"
    case EAGAIN, EBUSY: "another program holds the port (gpsd, ModemManager, a login console): stop it"
    case EACCES: "this user may not open it: join the group dialout"
    case ENOTTY, EISDIR: "this is no serial line: check receiver.port"
    default: "check the cable"
    }
  }

  /// One line for the journal.
  var line: String {
    let words = kind.rawValue.split(separator: "_").joined(separator: " ")
    return detail.isEmpty ? words : "\(words): \(detail)"
  }
}

extension GPSDDevice {
  /// `/dev/ttyACM0 (u-blox)`
  fileprivate var described: String { driver.isEmpty ? path : "\(path) (\(driver))" }
}

extension Journal.Level {
  /// How urgent an event is to whoever reads the journal.
  init(_ kind: EventKind) {
    switch kind {
    case .storageFailing, .logSalvaged, .recordsMissing, .recordsDropped: self = .error
    case .receiverLost, .receiverSilent, .receiverGarbled, .configurationRefused, .deliveryFailing,
      .clockStepped, .weekRepaired:
      self = .warning
    case .started, .stopped, .configurationChanged, .receiverFound, .clockSet, .storageRecovered,
      .deliveryRecovered:
      self = .notice
    case .fixesRejected: self = .debug
    }
  }
}
