/// A sentence with position, quality, satellites, HDOP and altitude: GGA and GNS.
protocol FullPosition: EpochSentence {
  var talker: Talker { get }
  var claim: Claim { get }
  var position: Position? { get }
  var satellites: UInt8? { get }
  var horizontalDilution: Double? { get }
  var altitude: Altitude? { get }
}

extension FullPosition {
  static var supplies: Supplies { [.position, .altitude, .horizontalDilution] }

  var vouchesForPosition: Bool { claim.verdict == .vouches && position != nil }

  func contribute(to epoch: inout Epoch) {
    let rank = Rank(talker, .fullPosition)
    epoch.state(claim, rank: rank)
    if claim.verdict != .denies {
      epoch.place(position, rank: rank)
      epoch.raise(to: altitude, rank: rank)
    }
    epoch.use(satellites: satellites, rank: rank)
    epoch.dilute(horizontal: horizontalDilution, rank: rank)
    epoch.timed.horizontalDilution = horizontalDilution
  }
}
