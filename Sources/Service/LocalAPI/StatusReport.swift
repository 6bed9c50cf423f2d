import Quantities

/// The status of the logger, as `GET /status` returns it and `outrider status --json` prints it.
///
/// Keys are stable. Absent values are unknown.
public struct StatusReport: Codable, Equatable, Sendable {
  /// The receiver and its port.
  public struct Receiver: Codable, Equatable, Sendable {
    /// The serial port, or the address of gpsd.
    public var port: String
    public var is_open: Bool
    /// The baud rate; absent until frames with valid checksums have arrived.
    public var speed_baud: Int?
    /// State of the receiver session: closed, finding, identifying, configuring, running, falling asleep, asleep or
    /// waking.
    public var state: String?
    /// The receiver family ("ublox-valset"); absent until the receiver is identified.
    public var family: String?
    /// The name by which the module identifies itself.
    public var module: String?
    public var firmware: String?
    /// The number of valid frames, or of reports of gpsd.
    public var valid_frames: Int
    public var checksum_errors: Int
    /// The state of gpsd; absent on a serial port.
    public var gpsd: GPSD?
    /// The present fault with its remedy, as in the journal; absent without one.
    public var trouble: String?
    /// Two sources of positions on the line; absent with one.
    public var talkers: Talkers?
    /// The number of valid frames, sentences without a checksum, or lines of gpsd that contributed nothing, by reason;
    /// absent without any.
    public var ignored: [String: Int]?
    /// The address of the last one by reason, such as `VWRMC`, or class and identifier of a binary message.
    public var ignored_last: [String: String]?

    /// The talkers of two sources that send the same sentences.
    public struct Talkers: Codable, Equatable, Sendable {
      /// The talker whose positions are used: the one that was seen first.
      public var used: String
      /// The talker that is ignored until the other was silent for 5 s.
      public var ignored: String

      public init(used: String, ignored: String) { (self.used, self.ignored) = (used, ignored) }
    }

    /// The reports of gpsd about itself and the receiver in use.
    public struct GPSD: Codable, Equatable, Sendable {
      public var release: String?
      /// The path on the host of gpsd; empty if gpsd does not name the receiver.
      public var device: String?
      public var driver: String?

      public init(release: String?, device: String?, driver: String?) {
        self.release = release
        self.device = device
        self.driver = driver
      }
    }
  }

  /// The last stored position.
  public struct Position: Codable, Equatable, Sendable {
    /// Time of the fix, in ISO 8601 in UTC; absent while the date is unknown.
    public var time: String?
    /// Absent inside a privacy zone, like all other keys but ``private``.
    public var latitude: Double?
    public var longitude: Double?
    public var horizontal_accuracy_m: Double?
    public var vertical_accuracy_m: Double?
    public var speed_mps: Double?
    public var speed_accuracy_mps: Double?
    /// The course in degrees from true north.
    public var course_deg: Double?
    /// The satellites in the solution.
    public var satellites: Int?
    /// The origin of the accuracy: none, dilution, error ellipse, receiver, gpsd or wifi zone.
    public var accuracy_source: String?
    /// The altitude above mean sea level.
    public var altitude_m: Double?
    public var fix: String?
    public var age_s: Double?
    /// True inside a privacy zone, where nothing is recorded or shown; absent otherwise.
    public var `private`: Bool?
  }

  /// The clock.
  public struct Clock: Codable, Equatable, Sendable {
    /// The origin of the time: none, saved, clock chip, network or receiver.
    public var quality: String

    public init(quality: String) { self.quality = quality }
  }

  /// The log.
  public struct Log: Codable, Equatable, Sendable {
    public var directory: String
    /// The number of the newest durable record.
    public var last_id: Int
    /// The number of records in memory that are not yet durable.
    public var waiting: Int
    /// The reason why the log cannot be written; absent while it can.
    public var trouble: String?
    /// The size of the log and its limit, `storage.limit`; the size as of the last inspection, every hour.
    public var bytes: Int?
    public var limit_bytes: Int?
    /// The size of the file with its free pages, as of the last step of retention.
    public var file_bytes: Int?
    /// The reason why the file is larger than its limit although records were deleted; absent if there is none.
    public var not_shrunk: String?
    /// The number of records in the log, of those without a date, and of lost ones, as of the last inspection.
    public var count: Int?
    public var undated: Int?
    public var missing: Int?
    /// The number of records that were not checked since the start, absent once all are: until then a history may lack
    /// records that are damaged.
    public var unchecked: Int?
    /// The longest time from a record to its commit, which a power cut can cost at most.
    public var loss_bound_s: Double?
    /// The file system of the log, such as ext4 or overlay.
    public var medium: String?
    /// The time of the oldest dated record among the first hundred, as of the last inspection.
    public var first_time: String?
    /// The duration of the last commit with its flush, and of the longest since the start; absent before the first.
    public var last_flush_ms: Double?
    public var slowest_flush_ms: Double?
  }

  /// A destination and its delivery.
  public struct Destination: Codable, Equatable, Sendable {
    public var name: String
    /// The number of records that the server accepted since the start.
    public var delivered: Int
    /// The number of the last record that the server acknowledged.
    public var acknowledged_id: Int?
    /// The length of the queue, which is read from the log; absent if the log cannot be read.
    public var queued: Int?
    /// The number of the last record from before the destination was added, while older records are still queued for it.
    ///
    /// Absent once they are sent or discarded.
    public var new_through_id: Int?
    /// The reason why the last attempt failed; absent if it did not.
    public var trouble: String?
    /// The time since the server last accepted records; absent before the first success of this run.
    public var last_success_age_s: Double?
    /// Result of the last attempt: "accepted", or the reason why the response rejected the records; absent before the
    /// first attempt of this run.
    public var last_answer: String?
    /// The age of ``last_answer``, counted from the attempt.
    public var last_answer_age_s: Double?
    /// The time until the next attempt; 0 during an attempt, absent if only new records or a command cause one.
    public var next_send_in_s: Double?
    /// The number of 2xx responses that count as success only because of `accept_2xx`; absent if there are none.
    public var odd_answers: Int?
    /// The form of the delivery: overland, owntracks, get, post, mqtt or file.
    public var kind: String?
    /// The name of the server's database by the last test of this run; absent without one.
    public var server: String?
    /// The time since the server last accepted records, and since the last attempt.
    public var last_sent_age_s: Double?
    public var last_attempt_age_s: Double?
    public var last_answer_detail: Answer?
    /// The time until the next attempt; 0 during an attempt.
    public var next_in_s: Double?
    /// The reason of the wait: interval, backoff, retry_after, network or records; absent during an attempt.
    public var waiting_for: String?
    /// The rate of the last accepted request while further records are queued.
    public var records_per_s: Double?
    /// The number of records that the server rejected and that were set aside in this run.
    public var set_aside: Int?
  }

  /// A key of the configuration file whose value has no effect.
  public struct OverriddenKey: Codable, Equatable, Sendable {
    /// The dotted key.
    public var key: String
    /// The origin of the effective value: server or operator.
    public var origin: String
    /// The command that restores the value of the file.
    public var give_back: String

    public init(key: String, origin: String, give_back: String) {
      (self.key, self.origin, self.give_back) = (key, origin, give_back)
    }
  }

  public var version: String
  public var device_id: String
  /// True in the response of a running logger; false if the status comes from the log.
  public var running: Bool
  public var uptime_s: Double?
  /// The device's time, in ISO 8601 in UTC; absent while the date is unknown.
  public var time: String?
  /// The boot identity of the kernel.
  public var boot: String?
  public var zone: Zone?
  /// The receiver as the tracker switches it; absent if no logger responds.
  public var tracker: Tracker?
  /// The satellites; absent without an epoch, and inside a privacy zone.
  public var sky: Sky?
  /// The figures of the present day; absent while the date is unknown.
  public var today: Today?
  /// The process of the logger; absent if no logger responds.
  public var process: Process?
  public var receiver: Receiver?
  public var position: Position?
  /// The reception of satellites; absent if no logger responds.
  public var reception: Reception?
  /// The motion state; absent while it is unknown.
  public var motion: Motion?
  /// The running trip; absent if there is none.
  public var trip: Trip?
  /// The number of records of this run by kind: location, visit, trip, action, event.
  public var records: [String: Int]?
  /// The state of the battery; absent if the supply is not a battery and no fuel gauge is configured.
  public var battery: Battery?
  /// The power level; absent if the supply is not limited.
  public var power: Power?
  /// The state of the radio; absent if the logger does not switch it.
  public var network: Network?
  /// The name of the Wi-Fi network that the host has joined; absent without one, for guests, and inside a privacy zone.
  public var ssid: String?
  /// The sleep of the host; absent if the logger does not put it to sleep.
  public var host: Host?
  /// The storage medium; absent while nothing is known of it.
  public var storage: Storage?
  /// The accelerometer; absent if none is configured or there is no driver for it.
  public var accelerometer: Accelerometer?
  public var clock: Clock?
  /// The energy of all known days; absent if no logger responds.
  public var energy: Energy?
  public var epochs: Int?
  public var kept: Int?
  /// The number of rejected fixes by reason.
  public var rejected: [String: Int]?
  /// The value of the last rejected fix by reason: its distance or time from the last record, its accuracy, or its time.
  ///
  /// Fixes in privacy zones have none.
  public var rejected_last: [String: String]?
  /// The setting `tracking`; absent if no logger responds.
  public var tracking: Bool?
  /// The reason why run-time settings cannot be saved; absent while they can.
  public var settings_trouble: String?
  /// The settings of the operator on trial; absent if there are none.
  public var settings_trial: SettingsTrial?
  /// Keys of the configuration file that `outrider set` or servers override; absent if there are none.
  public var overridden_keys: [OverriddenKey]?
  /// The path of the configuration file; absent if there is none.
  public var configuration_file: String?
  /// The remote settings; absent while there are none.
  public var remote: Remote?
  /// The state of notifications; absent if none are configured.
  public var notifications: Notifications?
  /// What other programs get; absent if `share.gpsd` is off.
  public var share: Share?
  /// The sign of life for a monitor; absent if none is configured.
  public var heartbeat: Heartbeat?
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

  /// ``ignored`` and ``ignored_last``.
  public var ignoredInputs: IgnoredInputs {
    get { IgnoredInputs(counts: ignored ?? [:], last: ignored_last ?? [:]) }
    set { (ignored, ignored_last) = (newValue.countsByKey, newValue.lastByKey) }
  }
}

extension StatusReport.Position {
  public init(time: String?, latitude: Double, longitude: Double, fix: String) {
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
    self.fix = fix
  }

  /// The position inside a privacy zone.
  public init(isPrivate: Bool) { self.private = isPrivate }
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
