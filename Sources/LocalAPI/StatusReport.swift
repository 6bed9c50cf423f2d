/// What `GET /status` answers and `outrider status --json` prints. Keys are a promise; absent means unknown.
public struct StatusReport: Codable, Equatable, Sendable {
  public struct Receiver: Codable, Equatable, Sendable {
    /// The serial port, or the address of gpsd.
    public var port: String
    public var is_open: Bool
    /// Baud; absent until frames with valid checksums arrived.
    public var speed_baud: Int?
    /// closed, finding, identifying, configuring, running, falling asleep, asleep or waking.
    public var state: String?
    /// The language of its commands ("ublox-valset"); absent until it said who it is.
    public var family: String?
    /// As the receiver names itself.
    public var module: String?
    public var firmware: String?
    /// Of gpsd: its reports.
    public var valid_frames: Int
    public var checksum_errors: Int
    /// Absent on a serial port.
    public var gpsd: GPSD?

    /// What gpsd says about itself and the receiver whose fixes come.
    public struct GPSD: Codable, Equatable, Sendable {
      public var release: String?
      /// Path on gpsd's machine; empty where gpsd does not name the receiver.
      public var device: String?
      public var driver: String?

      public init(release: String?, device: String?, driver: String?) {
        self.release = release
        self.device = device
        self.driver = driver
      }
    }
  }

  public struct Position: Codable, Equatable, Sendable {
    /// ISO 8601 in UTC; absent while the date is unknown.
    public var time: String?
    public var latitude: Double
    public var longitude: Double
    public var horizontal_accuracy_m: Double?
    public var speed_mps: Double?
    /// Above mean sea level.
    public var altitude_m: Double?
    public var fix: String
    public var age_s: Double?
  }

  public struct Clock: Codable, Equatable, Sendable {
    /// none, saved, clock chip, network or receiver.
    public var quality: String

    public init(quality: String) { self.quality = quality }
  }

  public struct Log: Codable, Equatable, Sendable {
    public var directory: String
    /// Number of the newest durable record.
    public var last_id: Int
    /// Records in memory that are not yet durable.
    public var waiting: Int
    /// Why the log cannot be written; absent while it can.
    public var trouble: String?
  }

  public struct Destination: Codable, Equatable, Sendable {
    public var name: String
    /// Records accepted by the server since the start.
    public var delivered: Int
    /// Number of the last record that the server acknowledged.
    public var acknowledged_id: Int?
    /// Records that wait for it; only the log knows, so it is absent where the log could not be read.
    public var queued: Int?
    /// The destination is new to the log, and what was recorded before it came still waits for it: the number of the last of
    /// those records. Absent once it has them, or was told not to.
    public var new_through_id: Int?
    /// Why the last attempt failed; absent when it did not.
    public var trouble: String?
    /// Since the server last accepted records; absent before it did in this run.
    public var last_success_age_s: Double?
    /// "accepted", or why the server's last answer refused the records; absent before the first attempt of this run.
    public var last_answer: String?
    /// Of ``last_answer``, counted from the attempt.
    public var last_answer_age_s: Double?
    /// When the next attempt is due; 0 while one is under way, absent if only new records or a command cause one.
    public var next_send_in_s: Double?
    /// Answers with a 2xx that was taken for success by `accept_2xx` alone; absent where there were none.
    public var odd_answers: Int?
  }

  /// A key of the configuration file without effect.
  public struct OverriddenKey: Codable, Equatable, Sendable {
    /// Dotted.
    public var key: String
    /// Who gave the value in force: server or operator.
    public var origin: String
    /// The command that gives the key back to the file.
    public var give_back: String

    public init(key: String, origin: String, give_back: String) {
      (self.key, self.origin, self.give_back) = (key, origin, give_back)
    }
  }

  public var version: String
  public var device_id: String
  /// True in the answer of a running logger; false when it was read from the database.
  public var running: Bool
  public var uptime_s: Double?
  public var receiver: Receiver?
  public var position: Position?
  /// Absent where no logger answers.
  public var reception: Reception?
  /// Absent while nothing tells whether the device moves.
  public var motion: Motion?
  /// Absent while no trip runs.
  public var trip: Trip?
  /// Records of this run by kind: location, visit, trip, action, event.
  public var records: [String: Int]?
  /// Absent where nothing runs from a battery and no gauge is set up.
  public var battery: Battery?
  /// Absent where the supply does not end.
  public var power: Power?
  /// Absent where the logger does not switch the radio.
  public var network: Network?
  /// Absent where the logger does not put the host down.
  public var host: Host?
  /// Absent where none is set up or there is no driver for it.
  public var accelerometer: Accelerometer?
  public var clock: Clock?
  /// Of all days that are known; absent where no logger answers.
  public var energy: Energy?
  public var epochs: Int?
  public var kept: Int?
  /// Fixes that did not become records, by reason.
  public var rejected: [String: Int]?
  /// What the last one of each had: its distance or pause from the last record, its accuracy, its time. Nothing of what lies in
  /// a private zone.
  public var rejected_last: [String: String]?
  /// The master switch; absent where no logger answers.
  public var tracking: Bool?
  /// Why what is set while running cannot be kept; absent while it can.
  public var settings_trouble: String?
  /// Keys of the configuration file that values kept from `outrider set` and from servers override; absent if there is none.
  public var overridden_keys: [OverriddenKey]?
  /// Absent while no server has set anything.
  public var remote: Remote?
  /// Absent where no notifications are set up.
  public var notifications: Notifications?
  public var log: Log
  public var destinations: [Destination]

  public init(version: String, deviceID: String, running: Bool, log: Log, destinations: [Destination]) {
    self.version = version
    device_id = deviceID
    self.running = running
    self.log = log
    self.destinations = destinations
  }
}

extension StatusReport.Receiver {
  public init(port: String, isOpen: Bool, speed: Int?, validFrames: Int, checksumErrors: Int) {
    self.port = port
    is_open = isOpen
    speed_baud = speed
    valid_frames = validFrames
    checksum_errors = checksumErrors
  }
}

extension StatusReport.Position {
  public init(time: String?, latitude: Double, longitude: Double, fix: String) {
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
    self.fix = fix
  }
}

extension StatusReport.Log {
  public init(directory: String, lastID: Int, waiting: Int, trouble: String?) {
    self.directory = directory
    last_id = lastID
    self.waiting = waiting
    self.trouble = trouble
  }
}

extension StatusReport.Destination {
  public init(name: String, delivered: Int, acknowledgedID: Int?, trouble: String?) {
    self.name = name
    self.delivered = delivered
    acknowledged_id = acknowledgedID
    self.trouble = trouble
  }
}
