import Energy
import History

extension StatusReport {
  /// The local time zone of the device.
  public struct Zone: Codable, Equatable, Sendable {
    /// The name of the zone, such as Europe/Berlin; absent if the system has none.
    public var name: String?
    /// The present offset of local time from UTC, positive east.
    public var offset_s: Int

    public init(name: String?, offset_s: Int) { (self.name, self.offset_s) = (name, offset_s) }
  }

  /// The receiver as the tracker switches it, with the reasons. Absent values are unknown or not applicable.
  public struct Tracker: Codable, Equatable, Sendable {
    public var state: ReportedReceiverState
    /// The time in this state.
    public var since_s: Double?
    /// The reason in one sentence with its evidence.
    public var reason: String
    /// The time until a sleeping receiver starts without another event, and the purpose of that start.
    public var next_check_in_s: Double?
    public var next_check_reason: String?
    /// The time until an acquisition is abandoned.
    public var acquisition_ends_in_s: Double?
    /// The strongest signal during an acquisition, in dB-Hz.
    public var signal_dBHz: Double?
    /// The recording profile that applies; absent for the ordinary rules.
    public var profile: String?
    public var profile_reason: String?
    /// The tracking policy: continuous, cyclic, error_bounded, sparse or off.
    public var policy: String?

    public init(state: ReportedReceiverState, reason: String) { (self.state, self.reason) = (state, reason) }
  }

  /// The satellites. Absent values are unknown.
  public struct Sky: Codable, Equatable, Sendable {
    /// The satellites in the solution.
    public var used: Int?
    /// The satellites with a signal, or above the horizon by the receiver's count.
    public var seen: Int?
    public var hdop: Double?
    /// The strongest signal in dB-Hz.
    public var strongest_dBHz: Double?
    /// The age of the last epoch.
    public var age_s: Double?

    public init() {}
  }

  /// The figures of the present local day. Absent values are unknown: a part of the day was before the start.
  public struct Today: Codable, Equatable, Sendable {
    /// The day, as in 2026-03-01.
    public var day: String
    /// The distance between the stored locations, gaps included.
    public var distance_m: Double?
    /// The number of stored records.
    public var records: Int?
    public var trips: Int?
    /// The number of visits that began.
    public var visits: Int?
    /// The time in which the receiver was on; of the logger's own running time.
    public var receiver_on_s: Double?
    /// The charge of all consumers with a known current.
    public var charge_mAh: Double?
    /// The number of attempts to send.
    public var sends: Int?
    /// The bytes of the records in these attempts, before compression.
    public var bytes_sent: Int?

    public init(day: String) { self.day = day }
  }

  /// The process of the logger. Absent values cannot be read.
  public struct Process: Codable, Equatable, Sendable {
    /// Processor time of all threads.
    public var cpu_s: Double?
    /// The number of wake-ups of the loop's thread: its voluntary context switches.
    public var wakeups: Int?
    public var anonymous_bytes: Int?
    public var resident_bytes: Int?
    public var threads: Int?
    /// The bytes that the process has written to storage since its start.
    public var bytes_written: Int?
    /// The longest turn of the loop since the start of the logger: everything that it called between two waits.
    public var longest_turn_ms: Double?
    /// The number of turns of 100 ms and more.
    public var slow_turns: Int?

    public init() {}
  }

  /// The last response of a server.
  public struct Answer: Codable, Equatable, Sendable {
    /// The HTTP status; absent without a response over HTTP.
    public var status: Int?
    /// The first 200 characters of the response, or the reason of the failure.
    public var text: String
    /// The duration of the attempt.
    public var duration_s: Double?

    public init(status: Int?, text: String, duration_s: Double?) {
      (self.status, self.text, self.duration_s) = (status, text, duration_s)
    }
  }
}

extension ReportedReceiverState {
  /// A state by the schedule, in the words for people.
  public init(_ state: ReceiverState) {
    self =
      switch state {
      case .off: .noSupply
      case .backup: .asleep
      case .searching: .acquiring
      case .settling: .settling
      case .tracking: .tracking
      case .cyclic: .cyclic
      }
  }
}
