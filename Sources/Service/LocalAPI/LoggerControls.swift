import Database
import History
import Quantities
import Records
import WebAccess

/// The operations of a logger that the local API offers.
///
/// They are called on the thread of the event loop and must return quickly.
public protocol LoggerControls: AnyObject {
  /// The present status.
  var status: StatusReport { get }
  /// The figures of the metrics that ``status`` does not have.
  ///
  /// Reading them begins a new period for the longest commit, and has the queues counted for the next time.
  var counters: LoggerCounters { get }
  /// All settings as one JSON object, the response to `GET /settings`.
  var settings: String { get }
  /// The declarations of all settings as one JSON object, the response to `GET /settings/schema`.
  var settingsSchema: String { get }
  /// The usage profiles with their changes and their cost; nil if it contains a number that is not finite.
  var profiles: [UInt8]? { get }
  /// Applies the JSON object of a `PATCH /settings`, all or nothing.
  ///
  /// `queue` decides on the queue of a destination whose address changes; without it such a change is rejected. With `onTrial`
  /// settings of the local API and the page return after 90 s without a confirmation.
  func changeSettings(_ body: [UInt8], queue: QueueChoice?, onTrial: Bool) -> ControlOutcome
  /// Applies an Overland setup URL, or returns what it would set and clear.
  func setUp(_ url: String, isApplied: Bool, queue: QueueChoice?) -> ControlOutcome
  /// Keeps the settings of the trial with this name.
  func confirmSettings(_ id: String) -> ControlOutcome
  /// Sends the queues now, to all destinations or one, and requests a fresh position if the last one is old.
  func send(to destination: String?) -> ControlOutcome
  /// The last attempts to send to all destinations or one, newest first: a ``SendsReport``.
  func sends(of destination: String?) -> ControlOutcome
  /// Starts the test of a destination, which ends later; returns its number as `{"test": 1}`.
  func testDestination(_ name: String) -> ControlOutcome
  /// The last tests of destinations, newest first: a ``TestsReport``.
  var tests: ControlOutcome { get }
  /// Examines the system on another thread. Calls `done` later with the response to `GET /doctor`, unless it returns a
  /// refusal.
  func examineSystem(_ done: @escaping (String) -> Void) -> Problem?
  /// Discards the queue of a destination; its records stay in the log.
  func dropQueue(of destination: String) -> ControlOutcome
  /// Controls or shows the trip.
  func trip(_ request: TripRequest) -> ControlOutcome
  /// Queries the receiver once for its satellites; the result appears in the status later.
  func askForSatellites() -> ControlOutcome
  /// Calls the hooks of `notifications` with a marked event; the results appear in the status later.
  func testNotifications() -> ControlOutcome
  /// Switches the hotspot of the system on or off, or returns its state for nil.
  func hotspot(_ isOn: Bool?) -> ControlOutcome
  /// Records the outcome of the trial of a new version as an event.
  func record(_ outcome: UpdateOutcome) -> ControlOutcome
  /// The charge per consumer from the day of `since` on; all days if it is nil.
  func energy(since: Timestamp?) -> StatusReport.Energy
  /// The charge per consumer on each local day of the ledger, oldest first.
  var energyByDay: StatusReport.EnergyDays { get }
  /// The states of the receiver in the last 24 hours, oldest first; empty while the time is unknown.
  var receiverStates: [Timeline.Span] { get }
  /// True if there are privacy zones, in which nothing is recorded.
  var hasPrivacyZones: Bool { get }
  /// The configured name of the device.
  var deviceName: String { get }
  /// The version of the program.
  var programVersion: String { get }
  /// Returns the records that may be disclosed, in their order: without positions in privacy zones.
  func disclosed(_ records: [StoredRecord]) -> [StoredRecord]
  /// The directory of the log.
  var logDirectory: String { get }
  /// Reports that a history response was cut off because the log cannot be read; the logger checks for damage.
  func historyFailed(_ error: DatabaseError)
  /// Registers a request. Called before every response, except for those that programs poll without a person.
  func requestReceived()
  /// The reasons why locations are not recorded or not stored at present; empty if the logger is healthy.
  var healthFaults: [String] { get }
  /// Reports that wrong tokens exhausted their limit, with their number.
  func accessRefused(count: Int)
}

extension LoggerControls {
  /// Applies the JSON object of a `PATCH /settings` without a trial.
  public func changeSettings(_ body: [UInt8], queue: QueueChoice?) -> ControlOutcome {
    changeSettings(body, queue: queue, onTrial: false)
  }
}

/// The result of an operation of the logger.
public enum ControlOutcome: Equatable, Sendable {
  /// Success, with one JSON object.
  case done(String)
  case refused(Problem)
}

/// A request to control or show the trip.
public enum TripRequest: Equatable, Sendable {
  /// Starts a trip; in the mode of the setting `trip_mode` if none is given.
  case start(mode: String?)
  case stop
  case mode(String)
  case status
}
