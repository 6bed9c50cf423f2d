import EventLoop
import Quantities

/// Reports the wireless network that the host has joined, as known to the kernel, and its changes.
///
/// A host without wireless costs one request an hour, because an adapter may be plugged in.
public final class WifiSource {
  /// Called with the network when it has changed; nil if none is joined.
  public var onChange: (WifiNetwork?) -> Void = { _ in }
  /// The joined network; nil if none is joined or known.
  public private(set) var network: WifiNetwork?
  /// The error of a failed request to the kernel; nil if none failed, and on a host without wireless.
  public private(set) var fault: String?

  /// Called with the addresses of the received access points, in lower case with colons.
  public var onAccessPoints: (Set<String>) -> Void = { _ in }
  /// Called with the reason if scans fail, once until one succeeds.
  public var onScanFailure: (String) -> Void = { _ in }

  /// True if the machine has a wireless interface that can join a network.
  public var hasInterface: Bool {
    guard let requests else { return false }
    do throws(NL80211.Failure) { return try !requests.stations().isEmpty } catch { return false }
  }

  private let loop: EventLoop
  private var requests: NL80211?
  private var notices: NL80211?
  private let scan: AccessPointScan
  private var registration: EventLoop.Registration?
  private var timer: LoopTimer?

  private static let retryInterval = Duration.seconds(3600)

  public init(loop: EventLoop) {
    self.loop = loop
    scan = AccessPointScan(loop: loop)
    scan.outputs = AccessPointScan.Outputs(
      received: { [unowned self] addresses in onAccessPoints(addresses) },
      failed: { [unowned self] reason in onScanFailure(reason) })
    timer = loop.addTimer("wifi") { [unowned self] _ in start() }
  }

  deinit { stop() }

  /// Requests the network and subscribes to notices.
  public func start() {
    guard notices == nil else { return ask() }
    do throws(NL80211.Failure) {
      let notices = try NL80211(.notices)
      requests = try NL80211(.requests)
      registration = try? loop.watch(notices.descriptor, for: .readable) { [unowned self] _ in
        let received = self.notices?.takeNotices()
        if received?.mayHaveChanged ?? false { ask() }
        if received?.hasScanned ?? false { scan.end() }
      }
      self.notices = notices
      fault = nil
    } catch {
      requests = nil
      fault = error.isWithoutWireless ? nil : "nl80211: \(error)"
      timer?.arm(at: loop.now + Self.retryInterval, slack: Self.retryInterval / 2)
      return
    }
    ask()
  }

  public func stop() {
    if let registration { loop.remove(registration) }
    if let timer { loop.removeTimer(timer) }
    scan.stop()
    (registration, timer, notices, requests) = (nil, nil, nil, nil)
  }

  /// Starts a scan and reports the results once to ``onAccessPoints``. Without permission, or if the radio is busy,
  /// recent results of another program's scan are reported instead.
  public func scanAccessPoints() {
    if let requests, let notices { scan.start(requests, notices) }
  }

  private func ask() {
    var found: WifiNetwork?
    do throws(NL80211.Failure) {
      found = try requests?.network()
      fault = nil
    } catch {
      fault = error.isWithoutWireless ? nil : "nl80211: \(error)"
    }
    guard found != network else { return }
    network = found
    onChange(found)
  }
}
