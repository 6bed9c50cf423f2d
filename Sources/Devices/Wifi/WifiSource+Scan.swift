import CNetlink
import Quantities

// Listening for access points.
extension WifiSource {
  /// Well above what a scan of all channels takes.
  private static let patience = Duration.seconds(15)
  /// What another program had scanned is good for so long.
  private static let staleness = Duration.seconds(300)

  /// Has the radio listen and tells ``onHeard`` what it heard, once, later. Where this program may not, or the radio is
  /// busy, that is what another had it hear of late.
  public func hearAccessPoints() {
    guard !isScanning, let questions, let notices else { return }
    do throws(NL80211.Failure) {
      try notices.hear(scans: true)
      isScanning = true
      scanTimer = scanTimer ?? loop.addTimer("wifi scan") { [unowned self] _ in endScan() }
      scanTimer?.arm(at: loop.now + Self.patience)
      try questions.scan()
      isDeaf = false
    } catch {
      // Where somebody else has it listen, its end is as good.
      guard error.number != NLE_BUSY || !isScanning else { return }
      tellDeaf(error)
      endScan()
    }
  }

  func endScan() {
    guard isScanning else { return }
    isScanning = false
    scanTimer?.arm(at: nil)
    do throws(NL80211.Failure) {
      try notices?.hear(scans: false)
      let heard = try questions?.accessPoints(heardWithin: isDeaf ? Self.staleness : Self.patience * 2) ?? []
      onHeard(heard)
    } catch {
      tellDeaf(error)
    }
  }

  private func tellDeaf(_ failure: NL80211.Failure) {
    guard !isDeaf else { return }
    isDeaf = true
    let remedy = failure.number == NLE_PERM ? "; give the logger CAP_NET_ADMIN" : ""
    onDeaf("the radio cannot be made to listen (\(failure))\(remedy)")
  }
}
