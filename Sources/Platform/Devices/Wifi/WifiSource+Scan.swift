import CNetlink
import Quantities

// Scanning for access points.
extension WifiSource {
  /// Maximum duration of a scan; well above that of a scan of all channels.
  private static let scanTimeout = Duration.seconds(15)
  /// Maximum age of the results of another program's scan.
  private static let staleness = Duration.seconds(300)

  /// Starts a scan and reports the results once to ``onAccessPoints``. Without permission, or if the radio is busy,
  /// recent results of another program's scan are reported instead.
  public func scanAccessPoints() {
    guard !isScanning, let requests, let notices else { return }
    do throws(NL80211.Failure) {
      try notices.setSubscription(scans: true)
      isScanning = true
      scanTimer = scanTimer ?? loop.addTimer("wifi scan") { [unowned self] _ in endScan() }
      scanTimer?.arm(at: loop.now + Self.scanTimeout)
      try requests.scan()
      hasScanFailed = false
    } catch {
      // A scan of another program serves as well.
      guard error.number != NLE_BUSY || !isScanning else { return }
      reportScanFailure(error)
      endScan()
    }
  }

  func endScan() {
    guard isScanning else { return }
    isScanning = false
    scanTimer?.arm(at: nil)
    do throws(NL80211.Failure) {
      try notices?.setSubscription(scans: false)
      let addresses =
        try requests?.accessPoints(seenWithin: hasScanFailed ? Self.staleness : Self.scanTimeout * 2) ?? []
      onAccessPoints(addresses)
    } catch {
      reportScanFailure(error)
    }
  }

  private func reportScanFailure(_ failure: NL80211.Failure) {
    guard !hasScanFailed else { return }
    hasScanFailed = true
    let remedy = failure.number == NLE_PERM ? "; grant the logger CAP_NET_ADMIN" : ""
    onScanFailure("cannot start a Wi-Fi scan (\(failure))\(remedy)")
  }
}
