import Quantities

extension TrackingPolicy {
  /// A row of ``reference``: settings that select one tracking policy.
  public struct ReferenceRow: Equatable, Sendable {
    public var trackingMode: TrackingMode
    public var pausesAutomatically: Bool
    public var accuracies: [DesiredAccuracy]
    /// The tracking policy; nil for a receiver that is always on.
    public var policy: TrackingPolicy?
  }

  /// Every combination of `tracking_mode`, `pause_automatically` and `desired_accuracy` with its tracking policy, in
  /// that order. Accuracies with the same policy share a row. The receiver offers cyclic tracking, and only locations
  /// are required.
  public static var reference: [ReferenceRow] {
    var rows: [ReferenceRow] = []
    for mode in [TrackingMode.standard, .both, .significant, .off] {
      for pauses in [false, true] {
        let first = rows.count
        for accuracy in DesiredAccuracy.allCases {
          let policy = desired(
            trackingMode: mode, pausesAutomatically: pauses, desiredAccuracy: accuracy, hasCyclicMode: true)
          if let same = rows[first...].firstIndex(where: { $0.policy == policy }) {
            rows[same].accuracies.append(accuracy)
          } else {
            rows.append(
              ReferenceRow(
                trackingMode: mode, pausesAutomatically: pauses, accuracies: [accuracy], policy: policy))
          }
        }
      }
    }
    return rows
  }

  /// The reference as a section of the settings page, in Markdown.
  public static var referencePage: String {
    var page = """

      ## Tracking policies

      The settings select a tracking policy. Level H records a location every second. Level S records the fewest locations \
      that keep the track within the desired accuracy. Sparse policies record few locations.

      - `main.resume_with_geofence` sets another distance at which a position check ends a pause.
      - A low battery makes every policy sparse, and `power.last_until` lengthens its intervals.
      - With `both`, automatic pause is on unless `main.pause_automatically` is false.
      - `significant` sleeps between fixes in any case.

      With `off` the receiver wakes for a trip by hand, a check-in and `outrider send`, and once after a start to get the time. \
      Visits, zones, `driving.tow` and `parking.delay` use this policy: \
      \(ReferenceRow(trackingMode: .off, pausesAutomatically: false, accuracies: [], policy: .stopsOnly).text). \
      Automatic trips, `driving.speed_limit_kmh` and `driving.idling` use level H, asleep while stationary; if \
      `trip.desired_accuracy` is sparse, they use the sparse policy. A detected trip has a policy of its own. \
      Outside a trip, only a check-in and `outrider send` store a location.

      | `main.tracking_mode` | `main.pause_automatically` | `main.desired_accuracy` | Level | Moving | Stationary |
      | --- | --- | --- | --- | --- | --- |

      """
    for row in reference { page += "| \(row.cells.joined(separator: " | ")) |\n" }
    return page
  }
}

extension TrackingPolicy.ReferenceRow {
  /// The cells of the table, from left to right.
  public var cells: [String] {
    let accuracies =
      accuracies == DesiredAccuracy.allCases ? "any" : accuracies.map(\.rawValue).joined(separator: ", ")
    return [trackingMode.rawValue, "\(pausesAutomatically)", accuracies, level, movingText, stationaryText]
  }

  fileprivate var text: String { "\(level): \(movingText); stationary: \(stationaryText)" }

  /// The level: H, S, sparse or none.
  public var level: String {
    switch policy?.moving ?? .everySecond {
    case .none: return "none"
    case .everySecond: return "H"
    case .within(let metres): return "S at \(Self.text(metres: metres))"
    case .sparse: return "sparse"
    }
  }

  private var movingText: String {
    let cyclic = policy?.usesCyclicMode == true ? ", in cyclic tracking if available" : ""
    switch policy?.moving ?? .everySecond {
    case .none: return "no locations"
    case .everySecond: return "a location every second\(cyclic)"
    case .within(let metres):
      return "the fewest fixes that keep the track within \(Self.text(metres: metres))\(cyclic)"
    case .sparse(let metres, let shortest, let check):
      return
        "a location after \(Self.text(metres: metres)), at least \(Self.text(shortest)) apart, checked every "
        + Self.text(check)
    }
  }

  private var stationaryText: String {
    switch policy?.stationary ?? .asMoving {
    case .asMoving where policy == .off: "off"
    case .asMoving: isSparse ? "the same, asleep between fixes" : "the same, never asleep"
    case .asleep(let check, let longest, let metres):
      "asleep; position check after \(Self.text(check)), backing off to \(Self.text(longest)); "
        + "resumes after \(Self.text(metres: metres))"
    }
  }

  private var isSparse: Bool {
    if case .sparse? = policy?.moving { true } else { false }
  }

  private static func text(metres: Double) -> String {
    metres >= 1000 && metres.truncatingRemainder(dividingBy: 1000) == 0
      ? "\(Int64(metres / 1000)) km" : "\(Int64(metres)) m"
  }

  private static func text(_ duration: Duration) -> String {
    let seconds = Int64(duration.inSeconds)
    if seconds >= 3600, seconds % 3600 == 0 { return "\(seconds / 3600) h" }
    return seconds >= 60 && seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
  }
}
