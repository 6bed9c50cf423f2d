import Formats
import LocalAPI
import Quantities
import Settings
import Tracking

extension Logger {
  /// What an operator wants of trips. Starting one switches tracking on, its end puts that back.
  public func trip(_ request: TripRequest) -> ControlOutcome {
    let isRunning = tracker.isTripRunning
    switch request {
    case .status: return .done(tripStatus)
    case .start(let word):
      guard let mode = word.map(TripMode.init(rawValue:)) ?? configuration.tripMode else {
        return Self.wrongMode
      }
      guard !isRunning else {
        return .refused(Problem(409, "a trip runs already; outrider trip stop ends it"))
      }
      guard configuration.isTracking || switchTrackingOn() else { return Self.staysOff }
      return carry(.start(mode), as: mode)
    case .mode(let word):
      guard let mode = TripMode(rawValue: word) else { return Self.wrongMode }
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

  /// Answers with the trip as it is then; where the command waits for what the receiver keeps, as it will be.
  private func carry(_ command: TripCommand, as mode: TripMode?) -> ControlOutcome {
    tell(.trip(command), now: loop.now)
    return .done(waiting.events.isEmpty ? tripStatus : tripStatus(in: mode))
  }

  /// False where a value that wins over the operator's keeps it off; then all is as before.
  private func switchTrackingOn() -> Bool {
    let claim = TrackingClaim(before: book.operator[TrackingClaim.path])
    var wishes = OperatorWishes()
    wishes.values[TrackingClaim.path] = "true"
    _ = change(wishes, claim: claim)
    guard !configuration.isTracking else { return true }
    _ = change(claim.end)
    return false
  }

  private static let staysOff = ControlOutcome.refused(
    Problem(
      409,
      "tracking is switched off where it cannot be switched on from here; start the logger without --set tracking=false"
    ))

  private static let noTrip = ControlOutcome.refused(
    Problem(409, "no trip runs; outrider trip start begins one"))

  private static var wrongMode: ControlOutcome {
    let words = TripMode.allCases.map(\.rawValue).joined(separator: ", ")
    return .refused(Problem(422, "mode: expected one of \(words)"))
  }

  private var tripStatus: String { tripStatus(in: tracker.runningTrip?.mode) }

  /// `mode` nil where no trip runs.
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

  /// A trip is over, however it ended: where it switched tracking on, that is as before.
  func followTrip() {
    let isRunning = tracker.isTripRunning
    guard tripRuns != isRunning else { return }
    tripRuns = isRunning
    changeDeliveries()
    sendTrip(isRunning: isRunning)
    changeReceiver()
    showRecording()
    keepHostAwake()
    if !isRunning, let claim = book.tripClaim { _ = change(claim.end) }
  }

  /// A power cut at the start or the end of a trip can leave what it wanted of tracking without the trip: once it is known
  /// whether one runs, tracking is as before.
  func settleTripClaim() {
    guard isTripClaimOpen, waiting.events.isEmpty else { return }
    isTripClaimOpen = false
    if !tracker.isTripRunning, let claim = book.tripClaim { _ = change(claim.end) }
  }

  /// A trip that begins by hand and each that ends is told at once, whatever the interval: somebody waits for it.
  private func sendTrip(isRunning: Bool) {
    guard !isStopped, !isRunning || tracker.runningTrip?.isManual == true else { return }
    commit(now: loop.now)
    for lane in deliveries.values { lane.delivery?.sendNow() }
  }

  /// Holds or gives back the lock of `trip.prevent_screen_lock`.
  func keepHostAwake() {
    let isWanted = tripRuns && configuration.trip.preventsScreenLock && !isStopped
    guard isWanted || sleepLock != nil else { return }
    let lock = sleepLock ?? SleepLock(loop: loop)
    sleepLock = lock
    lock.onFailure = { [unowned self] reason in
      journal.say(
        .warning,
        "trip.prevent_screen_lock: \(reason); the host may sleep during trips "
          + "(polkit must let this user take org.freedesktop.login1.inhibit-block-sleep)")
    }
    lock.hold(isWanted)
  }

  /// The object `trip` of a request; nil outside trips and before its start has a date.
  func runningTrip(for profile: OverlandProfile) -> [UInt8]? {
    guard let trip = tracker.runningTrip, let start = trip.start.time else { return nil }
    var text: [UInt8] = []
    OverlandRunningTrip(
      mode: trip.mode, start: start, distanceMillimetres: trip.distanceMillimetres,
      startPlace: trip.startPlace,
      currentPlace: trip.lastPlace
    ).append(to: &text, for: profile)
    return text
  }
}
