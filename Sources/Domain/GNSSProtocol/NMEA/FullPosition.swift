/// A sentence with position, quality, satellites, HDOP and altitude: GGA and GNS.
protocol FullPosition: EpochSentence {
  var talker: Talker { get }
  var fixStatus: FixStatus { get }
  var position: Position? { get }
  var satellites: UInt8? { get }
  var horizontalDilution: Double? { get }
  var altitude: Altitude? { get }
}

extension FullPosition {
  static var supplies: Supplies { [.position, .altitude, .horizontalDilution] }

  var hasValidPosition: Bool { fixStatus.validity == .valid && position != nil }

  func contribute(to epoch: inout Epoch) {
    let rank = Rank(talker, .fullPosition)
    epoch.state(fixStatus, rank: rank)
    if fixStatus.validity != .invalid {
      epoch.place(position, rank: rank)
      epoch.raise(to: altitude, rank: rank)
    }
    epoch.use(satellites: satellites, rank: rank)
    epoch.dilute(horizontal: horizontalDilution, rank: rank)
    epoch.timed.horizontalDilution = Accuracy.finite(horizontalDilution)
  }
}
