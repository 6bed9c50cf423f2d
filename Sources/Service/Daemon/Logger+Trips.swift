import Formats
import LocalAPI
import Quantities
import Settings
import Tracking

extension Logger {
  /// Executes a request about trips. A start switches tracking on; the end of the trip restores the switch.
  public func trip(_ request: TripRequest) -> ControlOutcome {
    let isRunning = tracker.isTripRunning
    switch request {
    case .status: return .done(tripStatus)
    case .start(let name):
      guard let mode = name.map(TripMode.init(rawValue:)) ?? configuration.tripMode else {
        return Self.wrongMode
      }
      guard !isRunning else {
        return .refused(Problem(409, "a trip is already running; end it with outrider trip stop"))
      }
      guard configuration.isTracking || switchTrackingOn() else { return Self.staysOff }
      return carry(.start(mode), as: mode)
    case .mode(let name):
      guard let mode = TripMode(rawValue: name) else { return Self.wrongMode }
      guard isRunning else { return Self.noTrip }
      return carry(.mode(mode), as: mode)
    case .stop:
      guard isRunning else { return Self.noTrip }
      let ended = tripReport(now: loop.now)?.json.map { String(decoding: $0, as: UTF8.self) }
      let outcome = carry(.stop, as: nil)
      guard case .done = outcome, let ended else { return outcome }
      return .done(#"{"running":false,"ended":\#(ended)}"#)
    }
  }

  /// Executes a command and returns the trip. If the command waits for buffered epochs, it is the future trip.
  private func carry(_ command: TripCommand, as mode: TripMode?) -> ControlOutcome {
    process(.trip(command), now: loop.now)
    return .done(waiting.events.isEmpty ? tripStatus : tripStatus(in: mode))
  }

  /// Switches tracking on for a trip. Returns false, without a change, if a value of higher precedence keeps it off.
  private func switchTrackingOn() -> Bool {
    let claim = TripOverride(before: settingsState.operator[TripOverride.path])
    var request = OperatorRequest()
    request.values[TripOverride.path] = "true"
    _ = change(request, claim: claim)
    guard !configuration.isTracking else { return true }
    _ = change(claim.end)
    return false
  }

  private static let staysOff = ControlOutcome.refused(
    Problem(
      409,
      "tracking is switched off by a setting of higher precedence; start the logger without --set tracking=false"
    ))

  private static let noTrip = ControlOutcome.refused(
    Problem(409, "no trip is running; start one with outrider trip start"))

  private static var wrongMode: ControlOutcome {
    let names = TripMode.allCases.map(\.rawValue).joined(separator: ", ")
    return .refused(Problem(422, "mode: expected one of \(names)"))
  }

  private var tripStatus: String { tripStatus(in: tracker.runningTrip?.mode) }

  /// The JSON of the running trip; `mode` is nil without one.
  private func tripStatus(in mode: TripMode?) -> String {
    guard let mode else { return #"{"running":false}"# }
    let trip = tracker.runningTrip
    var text: [UInt8] = Array(
      #"{"running":true,"mode":"\#(mode.rawValue)","manual":\#(trip?.isManual ?? true)"#.utf8)
    if let start = trip?.start.time { text += Array(#","start":"\#(start.iso8601())""#.utf8) }
    if let trip, let duration = tripDuration(trip, now: loop.now) {
      text += Array(#","duration_s":\#(duration.wholeSeconds)"#.utf8)
    }
    text += Array(#","distance_m":\#((trip?.distanceMillimetres ?? 0) / 1000)}"#.utf8)
    return String(decoding: text, as: UTF8.self)
  }

  /// Follows the start and the end of a trip. The end restores tracking if the trip switched it on.
  func followTrip() {
    let isRunning = tracker.isTripRunning
    guard tripRuns != isRunning else { return }
    tripRuns = isRunning
    changeDeliveries()
    sendTrip(isRunning: isRunning)
    changeReceiver()
    showRecording()
    keepHostAwake()
    if !isRunning, let claim = settingsState.tripOverride { _ = change(claim.end) }
  }

  /// Restores tracking if a power cut left the claim of a trip without the trip.
  ///
  /// Called when it is known if a trip runs.
  func settleTripClaim() {
    guard isTripClaimOpen, waiting.events.isEmpty else { return }
    isTripClaimOpen = false
    if !tracker.isTripRunning, let claim = settingsState.tripOverride { _ = change(claim.end) }
  }

  /// Sends the queue immediately when a trip ends or is started by hand.
  private func sendTrip(isRunning: Bool) {
    guard !isStopped, !isRunning || tracker.runningTrip?.isManual == true else { return }
    commit(now: loop.now)
    for pipeline in deliveries.values { pipeline.delivery?.sendNow() }
  }

  /// Takes or releases the sleep inhibitor of `trip.prevent_screen_lock`.
  func keepHostAwake() {
    let isRequired = tripRuns && configuration.trip.preventsScreenLock && !isStopped
    guard isRequired || sleepInhibitor != nil else { return }
    let inhibitor = sleepInhibitor ?? SleepInhibitor(loop: loop)
    sleepInhibitor = inhibitor
    inhibitor.onFailure = { [unowned self] reason in
      journal.log(
        .warning,
        "trip.prevent_screen_lock: \(reason); the host may sleep during trips; "
          + "permit org.freedesktop.login1.inhibit-block-sleep for this user in polkit")
    }
    inhibitor.setActive(isRequired)
  }

  /// The object `trip` of a request; nil without a trip and while the date of its start is unknown.
  func runningTrip(for profile: OverlandProfile) -> [UInt8]? {
    guard let trip = tracker.runningTrip, let start = trip.start.time else { return nil }
    var text: [UInt8] = []
    OverlandRunningTrip(
      mode: trip.mode, start: start, distanceMillimetres: trip.distanceMillimetres,
      startLocation: trip.startLocation,
      currentLocation: trip.lastLocation
    ).append(to: &text, for: profile)
    return text
  }
}
