import CNetlink
import Quantities

// Scanning for access points.
extension WifiSource {
  /// Maximum duration of a scan; well above that of a scan of all channels.
  private static let patience = Duration.seconds(15)
  /// Maximum age of the results of another program's scan.
  private static let staleness = Duration.seconds(300)

  /// Starts a scan and reports the results once to ``onHeard``. Without permission, or if the radio is busy,
  /// recent results of another program's scan are reported instead.
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
      // A scan of another program serves as well.
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
    let remedy = failure.number == NLE_PERM ? "; grant the logger CAP_NET_ADMIN" : ""
    onDeaf("cannot start a Wi-Fi scan (\(failure))\(remedy)")
  }
}
