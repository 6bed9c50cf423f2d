import GNSSProtocol
import Quantities

/// Decides if fixes contradict the location of a joined network, such as a mobile hotspot with the network's name.
///
/// Only fixes with an accuracy of ``worstAccuracy`` or better count. They contradict the zone if they are farther
/// away than ``reach`` and three times their accuracy for ``proof``. Joining the network also contradicts it if the
/// device cannot have travelled there since the last of them. A nearer fix restores the zone.
struct WifiZoneContradiction: Equatable, Sendable {
  /// Distance in metres from the configured location within which the network may be received.
  static let reach = 500.0
  /// Worst accuracy in metres (68 %).
  static let worstAccuracy = 100.0
  /// Time for which fixes must be elsewhere, because a single wild fix proves nothing.
  static let proof = Duration.seconds(2)
  /// Highest speed in m/s: faster than vehicles on roads.
  static let fastest = 50.0

  private struct Fix: Equatable {
    var position: Coordinate
    var accuracy: Double
    var moment: Moment

    func isFar(from other: Coordinate, after travelling: Double) -> Bool {
      position.distance(to: other) > reach + 3 * accuracy + travelling
    }
  }

  private(set) var isContradicted = false
  private var last: Fix?
  /// Start of fixes far from the joined network's location.
  private var farSince: Moment?

  /// Processes a fix. `zone` is the location of the joined network; nil if no zone's network is joined.
  mutating func take(_ position: Coordinate, accuracy: Double?, zone: Coordinate?, now: Moment) {
    let accuracy = HorizontalAccuracy.effective(accuracy)
    guard accuracy <= Self.worstAccuracy else { return }
    let fix = Fix(position: position, accuracy: accuracy, moment: now)
    last = fix
    guard let zone, fix.isFar(from: zone, after: 0) else {
      farSince = nil
      isContradicted = false
      return
    }
    let since = farSince ?? now
    farSince = since
    if now - since >= Self.proof { isContradicted = true }
  }

  /// Handles the joining of a zone's network. The device may have travelled from its last fix until `movedUntil`.
  mutating func join(_ zone: Coordinate, movedUntil: Moment) {
    farSince = nil
    isContradicted =
      last.map { fix in
        let time = max(movedUntil - fix.moment, .zero)
        return fix.isFar(from: zone, after: Self.fastest * time.inSeconds)
      } ?? false
  }

  /// Handles the end: no zone's network is joined any more.
  mutating func leave() {
    farSince = nil
    isContradicted = false
  }
}
