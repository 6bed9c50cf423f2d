import Quantities

/// Whether the wireless access points around speak for another place, and when to listen for them.
///
/// They do when of several that were heard during this rest none is heard any more, while others are: a radio that hears
/// nothing says nothing. Access points come and go one by one; all at once they do only when the box has gone.
struct AccessPointHint: Equatable, Sendable {
  /// The least time between two scans; nil asks for none.
  var interval: Duration?

  /// Fewer tell no place from another.
  static let fewest = 3
  /// Addresses that are remembered of a place.
  static let mostRemembered = 64
  /// A rest has lasted so long before its place is listened to.
  static let settling = Duration.seconds(60)

  /// The rest during which ``here`` were heard.
  private var rest: Moment?
  private var here: Set<String> = []
  private var scannedAt: Moment?

  init(interval: Duration?) { self.interval = interval }

  /// When to listen next, with room for an interval to join another wake-up; nil while the box is not at rest, when
  /// `restingSince` is nil.
  func window(restingSince: Moment?) -> WakeWindow? {
    guard let interval, let restingSince else { return nil }
    let due = max(restingSince + Self.settling, scannedAt.map { $0 + interval } ?? .zero)
    return WakeWindow(from: due, orLater: interval)
  }

  /// The radio was asked.
  mutating func asked(now: Moment) { scannedAt = now }

  /// Takes the addresses that were heard. Answers how many of this place are missing, when that hints at another one.
  mutating func take(_ heard: Set<String>, restingSince: Moment?) -> Int? {
    if rest != restingSince {
      rest = restingSince
      here = []
    }
    guard restingSince != nil else { return nil }
    let isElsewhere =
      here.count >= Self.fewest && heard.count >= Self.fewest && here.isDisjoint(with: heard)
    let missing = isElsewhere ? here.count : nil
    if isElsewhere { here = [] }
    for address in heard.sorted() where here.count < Self.mostRemembered { here.insert(address) }
    return missing
  }
}
