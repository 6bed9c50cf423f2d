import Quantities

/// The answer of the running logger.
public struct LoggerFacts: Equatable, Sendable {
  /// The result of a status request.
  public enum Answer: Equatable, Sendable {
    /// No request was sent, with the reason.
    case notAsked(String)
    case report(LoggerReport)
    case nobody
    /// This user may not use the socket, with the missing permission.
    case forbidden(String)
    case silent
    /// A logger has sent a response that cannot be used; the reason is a clause after "the logger runs, but".
    case unusable(String)

    /// True if a logger has accepted the request.
    var isFromLogger: Bool {
      switch self {
      case .report, .silent, .unusable: true
      case .notAsked, .nobody, .forbidden: false
      }
    }
  }

  public var answer = Answer.notAsked("the running logger was not queried")
  public var socket = ""
  /// The version of this program.
  public var ownVersion = ""
  /// The last events of the log, the newest last.
  public var events: Fact<[LoggedEvent]> = .absent

  public init() {}

  public var report: LoggerReport? {
    if case .report(let report) = answer { report } else { nil }
  }

  /// The finding for a check that requires the running logger.
  var withoutReport: Finding {
    switch answer {
    case .report: .skipped("the logger does not report it")
    case .notAsked(let reason): .skipped(reason)
    case .nobody: .skipped("the logger is not running")
    case .forbidden(let reason): .skipped(reason)
    case .silent: .skipped("the logger does not respond")
    case .unusable(let reason): .skipped("the logger runs, but \(reason)")
    }
  }

  /// The last event of these kinds; nil if there is none or the log cannot be read.
  func last(_ kinds: String...) -> LoggedEvent? {
    events.value?.last { kinds.contains($0.kind) }
  }
}

/// An event of the log.
public struct LoggedEvent: Equatable, Sendable {
  public var kind: String
  public var sentence: String
  /// Values of the fields `cause` and `fault`, and of `reason` and `evidence` if present.
  public var fields: [String: String]
  /// Seconds since the event; nil if its time is unknown.
  public var age: Int64?

  public init(kind: String, sentence: String, fields: [String: String] = [:], age: Int64? = nil) {
    (self.kind, self.sentence, self.fields, self.age) = (kind, sentence, fields, age)
  }
}

/// The values of the logger's status that the checks judge.
public struct LoggerReport: Equatable, Sendable {
  public var version: String
  public var uptime: Double?
  public var settingsFault: String?
  public var logFault: String?
  /// The reason why `share.gpsd` is not served.
  public var shareFault: String?
  /// The origin of the logger's time: none, saved, clock chip, network or receiver.
  public var clockQuality: String?
  public var lastFix: LastFix?
  public var receiver: ReceiverReport?
  public var accelerometer: PartReport?
  public var gauge: PartReport?
  public var battery: BatteryReport?
  public var destinations: [DestinationReport] = []
  public var medium: MediumLifeReport?
  /// True while the setting `tracking` is on.
  public var isTracking = true

  public init(version: String) { self.version = version }

  /// The last stored fix: its time in seconds since 1970, its age in seconds, and its position.
  public struct LastFix: Equatable, Sendable {
    public var time: Double
    public var age: Double
    /// Degrees; nil if unknown.
    public var latitude: Double?
    public var longitude: Double?

    public init(time: Double, age: Double) { (self.time, self.age) = (time, age) }
  }
}

/// The receiver by the logger's status.
public struct ReceiverReport: Equatable, Sendable {
  public var port: String
  public var isOpen = false
  public var baud: Int?
  public var state: String?
  public var family: String?
  public var module: String?
  public var validFrames = 0
  public var checksumErrors = 0
  /// The device that gpsd reads; nil on a serial port.
  public var gpsdDevice: String?
  /// The fix of the last epoch; nil before the first epoch.
  public var fix: String?
  /// Seconds since the last epoch; nil before the first.
  public var epochAge: Double?
  /// Seconds without a fix; nil while there is one.
  public var secondsWithoutFix: Double?
  /// Satellites with a signal in the last report of the receiver.
  public var satellites: Int?
  /// Input that contributed nothing.
  public var ignored = IgnoredInputs()

  public init(port: String) { self.port = port }
}

/// An accelerometer or fuel gauge by the logger's status.
public struct PartReport: Equatable, Sendable {
  public var name: String
  public var connection: String
  /// The reason why it is lost; nil while it responds.
  public var trouble: String?
  /// The number of times that samples were read too late.
  public var overruns = 0

  public init(name: String, connection: String, trouble: String? = nil) {
    (self.name, self.connection, self.trouble) = (name, connection, trouble)
  }
}

/// The battery by the logger's status.
public struct BatteryReport: Equatable, Sendable {
  public var state: String?
  public var percent: Double?
  public var volts: Double?
  /// The reason why the percentage is absent or old.
  public var doubt: String?

  public init() {}
}

/// The life of the storage medium by the logger's status.
public struct MediumLifeReport: Equatable, Sendable {
  /// The used share in percent; nil if it is unknown.
  public var usedPercent: Int?
  /// True if ``usedPercent`` is a share of `storage.endurance`; false if the medium reports it.
  public var isByEndurance = false
  /// The days until `storage.endurance` is used up at the present rate; nil without a rate or endurance.
  public var daysLeft: Int?

  public init() {}
}

/// A destination by the logger's status.
public struct DestinationReport: Equatable, Sendable {
  public var name: String
  public var queued: Int?
  public var trouble: String?
  /// Seconds since the server last accepted records; nil before the first success of this run.
  public var lastSuccessAge: Double?

  public init(name: String) { self.name = name }
}
