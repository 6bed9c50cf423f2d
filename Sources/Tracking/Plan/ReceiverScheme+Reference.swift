import Quantities
import Settings

extension ReceiverScheme {
  /// A line of ``reference``: words of the operator that come to one plan.
  public struct ReferenceRow: Equatable, Sendable {
    public var trackingMode: TrackingMode
    public var pausesAutomatically: Bool
    public var accuracies: [DesiredAccuracy]
    /// Nil for a receiver that is always on.
    public var scheme: ReceiverScheme?
  }

  /// Every combination of `tracking_mode`, `pause_automatically` and `desired_accuracy` with its plan, in their order;
  /// accuracies with the same plan share a row. The receiver has cyclic mode, and nothing but positions is watched for.
  public static var reference: [ReferenceRow] {
    var rows: [ReferenceRow] = []
    for mode in [TrackingMode.standard, .both, .significant, .off] {
      for pauses in [false, true] {
        let first = rows.count
        for accuracy in DesiredAccuracy.allCases {
          let scheme = wished(
            trackingMode: mode, pausesAutomatically: pauses, desiredAccuracy: accuracy, hasCyclicMode: true)
          if let same = rows[first...].firstIndex(where: { $0.scheme == scheme }) {
            rows[same].accuracies.append(accuracy)
          } else {
            rows.append(
              ReferenceRow(
                trackingMode: mode, pausesAutomatically: pauses, accuracies: [accuracy], scheme: scheme))
          }
        }
      }
    }
    return rows
  }

  /// The same as a section of the settings' reference page.
  public static var referencePage: String {
    var page = """

      ## From the words to the receiver's plan

      H, S and sparse are the service levels: a record a second; records that keep the line through them near the true way; \
      few records. Beside them `main.resume_with_geofence` has a position check end a pause at another distance, a low \
      battery makes each plan sparse, and `power.last_until` spaces it out. With `off` the receiver wakes for a trip by hand, a check-in, \
      `outrider send`, and once after a start to learn the time. Where visits, zones, a tow or a parked box are watched for, \
      the plan is \(ReferenceRow(trackingMode: .off, pausesAutomatically: false, accuracies: [], scheme: .stays).words). \
      Where trips begin by themselves, and with `driving.speed_limit_kmh` or `driving.idling`, it is level H, asleep at rest, or \
      sparse where `trip.desired_accuracy` is; a trip that has begun has its own. Outside a trip none \
      stores a position but for a check-in and `outrider send`.

      `both` pauses also if nobody gives `main.pause_automatically`; `significant` sleeps between its fixes in any case.

      | `main.tracking_mode` | `main.pause_automatically` | `main.desired_accuracy` | Level | On the way | At rest |
      | --- | --- | --- | --- | --- | --- |

      """
    for row in reference { page += "| \(row.cells.joined(separator: " | ")) |\n" }
    return page
  }
}

extension ReceiverScheme.ReferenceRow {
  /// In the order of the table.
  public var cells: [String] {
    let accuracies =
      accuracies == DesiredAccuracy.allCases ? "any" : accuracies.map(\.rawValue).joined(separator: ", ")
    return [trackingMode.rawValue, "\(pausesAutomatically)", accuracies, level, wayWords, restWords]
  }

  fileprivate var words: String { "\(level): \(wayWords); at rest \(restWords)" }

  /// The service level.
  public var level: String {
    switch scheme?.moving ?? .everySecond {
    case .none: return "none"
    case .everySecond: return "H"
    case .within(let metres): return "S at \(Self.text(metres: metres))"
    case .sparse: return "sparse"
    }
  }

  private var wayWords: String {
    let cyclic = scheme?.usesCyclicMode == true ? ", in cyclic mode where the receiver has one" : ""
    switch scheme?.moving ?? .everySecond {
    case .none: return "nothing"
    case .everySecond: return "a record a second\(cyclic)"
    case .within(let metres): return "the line stays within \(Self.text(metres: metres))\(cyclic)"
    case .sparse(let metres, let shortest, let check):
      return
        "a record after \(Self.text(metres: metres)), \(Self.text(shortest)) apart at least, looked for each "
        + Self.text(check)
    }
  }

  private var restWords: String {
    switch scheme?.resting ?? .asMoving {
    case .asMoving where scheme == .off: "off"
    case .asMoving: isSparse ? "the same, asleep between its looks" : "the same, never asleep"
    case .asleep(let check, let longest, let metres):
      "asleep; a look after \(Self.text(check)), later each \(Self.text(longest)), whether it is \(Self.text(metres: metres)) away"
    }
  }

  private var isSparse: Bool {
    if case .sparse? = scheme?.moving { true } else { false }
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
