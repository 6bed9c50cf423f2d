import CNetlink
import EventLoop
import Quantities

/// Scans for access points, one scan at a time.
final class AccessPointScan {
  /// Handlers, set before the first scan.
  struct Outputs {
    /// The addresses of the received access points.
    var received: (Set<String>) -> Void = { _ in }
    /// The reason if scans fail, once until one succeeds.
    var failed: (String) -> Void = { _ in }
  }

  /// Maximum duration of a scan; well above that of a scan of all channels.
  private static let timeout = Duration.seconds(15)
  /// Maximum age of the results of another program's scan.
  private static let staleness = Duration.seconds(300)

  var outputs = Outputs()
  private let loop: EventLoop
  /// The connections to the kernel of the scan in progress.
  private var scan: (requests: NL80211, notices: NL80211)?
  private var hasFailed = false
  /// Ends a scan for which no end was reported.
  private var timer: LoopTimer?

  init(loop: EventLoop) { self.loop = loop }

  /// Abandons a scan in progress.
  func stop() {
    if let timer { loop.removeTimer(timer) }
    (timer, scan) = (nil, nil)
  }

  /// Starts a scan. If that fails or the radio is busy, recent results of another program's scan are reported.
  func start(_ requests: NL80211, _ notices: NL80211) {
    guard scan == nil else { return }
    do throws(NL80211.Failure) {
      try notices.setSubscription(scans: true)
      scan = (requests, notices)
      let timer = timer ?? loop.addTimer("wifi scan") { [unowned self] _ in end() }
      self.timer = timer
      timer.arm(at: loop.now + Self.timeout)
      try requests.scan()
      hasFailed = false
    } catch {
      // A scan of another program serves as well.
      guard error.number != NLE_BUSY || scan == nil else { return }
      reportFailure(error)
      end()
    }
  }

  /// Reports the results: a scan has ended.
  func end() {
    guard let (requests, notices) = scan else { return }
    scan = nil
    timer?.arm(at: nil)
    do throws(NL80211.Failure) {
      try notices.setSubscription(scans: false)
      let longestAge = hasFailed ? Self.staleness : Self.timeout * 2
      outputs.received(try requests.accessPoints(seenWithin: longestAge))
    } catch {
      reportFailure(error)
    }
  }

  private func reportFailure(_ failure: NL80211.Failure) {
    guard !hasFailed else { return }
    hasFailed = true
    let remedy = failure.number == NLE_PERM ? "; grant the logger CAP_NET_ADMIN" : ""
    outputs.failed("cannot start a Wi-Fi scan (\(failure))\(remedy)")
  }
}
