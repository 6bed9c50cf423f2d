import Quantities

/// Decides whether fixes contradict the place of a joined network: a hotspot that bears the network's name travels along.
///
/// Only fixes with an accuracy of ``worstAccuracy`` or better count. The zone is contradicted if such fixes lie farther
/// from its place than ``reach`` and three times their accuracy for ``proof``, or if the network is joined where the box
/// cannot have come since the last of them. A fix that lies nearer restores the zone.
struct WifiZoneContradiction: Equatable, Sendable {
  /// Metres from the configured place within which a network counts as heard there.
  static let reach = 500.0
  /// Metres, 68 %.
  static let worstAccuracy = 100.0
  /// Fixes must lie elsewhere for so long: one wild fix proves nothing.
  static let proof = Duration.seconds(2)
  /// m/s: faster than vehicles on roads.
  static let fastest = 50.0

  private struct Fix: Equatable {
    var place: Coordinate
    var accuracy: Double
    var moment: Moment

    func isFar(from other: Coordinate, after travelling: Double) -> Bool {
      place.distance(to: other) > reach + 3 * accuracy + travelling
    }
  }

  private(set) var isContradicted = false
  private var last: Fix?
  /// Since when fixes lie far from the joined network's place.
  private var farSince: Moment?

  /// Takes a fix. `zone` is the place of the network that is joined; nil if none of a zone is.
  mutating func take(_ place: Coordinate, accuracy: Double?, zone: Coordinate?, now: Moment) {
    guard let accuracy, accuracy <= Self.worstAccuracy else { return }
    let fix = Fix(place: place, accuracy: accuracy, moment: now)
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

  /// A zone's network is joined. The box may have travelled from its last fix until `movedUntil`.
  mutating func join(_ zone: Coordinate, movedUntil: Moment) {
    farSince = nil
    isContradicted =
      last.map { fix in
        let time = max(movedUntil - fix.moment, .zero)
        return fix.isFar(from: zone, after: Self.fastest * time.inSeconds)
      } ?? false
  }

  /// No network of a zone is joined any more.
  mutating func leave() {
    farSince = nil
    isContradicted = false
  }
}
