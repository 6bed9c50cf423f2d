import EventLoop
import GNSSProtocol
import Quantities

/// A receiver that gpsd shares with other programs, read through libgps.
///
/// If gpsd cannot be reached, closes the connection or is silent, the source reconnects with a growing
/// back-off while the program runs. Only gpsd writes to the receiver.
public final class GPSDSource: ReceiverSource {
  /// A change of the receiver's state, reported once until the receiver sends data again.
  public enum Notice: Equatable, Sendable {
    /// The first data of a receiver arrived through gpsd.
    case found
    case lost(GPSDFailure)
    /// Connected, but no receiver sends data.
    case silent(seconds: Int64)
    /// The receiver sends data again.
    case recovered
  }

  public var onEpoch: (Fix, Moment) -> Void = { _, _ in }
  public var onNotice: (Notice) -> Void = { _ in }

  private let loop: EventLoop
  private let connector: GPSDConnector
  private var link: GPSDLink
  private var epochs = GPSDEpochs()
  private var inventory = GPSDInventory()
  private var isStopped = false
  /// Epochs that are passed on once reading has ended, so that a callback may query any state.
  private var closedEpochs: [Fix] = []
  private var linkTimer: LoopTimer?
  private var epochTimer: LoopTimer?
  private var continuationTimer: LoopTimer?

  /// Number of positions, satellite reports and error ellipses received.
  public private(set) var reports: UInt64 = 0
  /// The lines that were not read, by reason; gpsd's answers to requests are not among them.
  public private(set) var ignored = IgnoredInputs()

  /// Maximum number of lines read in one loop iteration, to keep the loop responsive.
  private static let linesPerTurn = 64

  /// Creates a source. `host` is a name or a numeric address without brackets.
  public convenience init(loop: EventLoop, host: String, port: UInt16) {
    self.init(loop: loop, host: host, port: port, timeout: GPSDLink.defaultTimeout)
  }

  init(loop: EventLoop, host: String, port: UInt16, timeout: Duration) {
    self.loop = loop
    connector = GPSDConnector(loop: loop, host: host, port: port)
    link = GPSDLink(timeout: timeout)
    connector.outputs = GPSDConnector.Outputs(
      opened: { [unowned self] now in handle(.opened, now: now) },
      failed: { [unowned self] failure, now in handle(.failed(failure), now: now) },
      readable: { [unowned self] isHungUp, now in drain(now: now, isHungUp: isHungUp) })
    linkTimer = loop.addTimer("gpsd link") { [unowned self] now in carryOut(link.handleTimeout(now: now)) }
    epochTimer = loop.addTimer("gpsd epoch") { [unowned self] now in
      // Read buffered lines first: they are not silence.
      drain(now: now)
      epochs.handleTimeout(now: now) { closedEpochs.append($0) }
      handOver(now: now)
    }
    continuationTimer = loop.addTimer("gpsd rest") { [unowned self] now in drain(now: now) }
  }

  deinit { stop() }

  public var host: String { connector.host }
  public var port: UInt16 { connector.port }
  /// The address of gpsd, as in `localhost:2947`; an IPv6 address is in brackets.
  public var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
  public var isOpen: Bool { connector.isOpen }
  /// Version of the gpsd that is or was connected; nil before the first connection.
  public var release: String? { inventory.release }
  /// The receiver that supplies the fixes; nil before the first one.
  public var device: GPSDDevice? { epochs.device.map { inventory.device(at: $0) } }

  public func start() {
    if !isStopped { carryOut(link.start(now: loop.now)) }
  }

  public func finish(now: Moment) {
    drain(now: now)
    epochs.finish(now: now) { closedEpochs.append($0) }
    handOver(now: now)
    stop()
  }

  /// Closes the connection. A hanging attempt to connect is abandoned: its thread ends by itself.
  public func stop() {
    guard !isStopped else { return }
    isStopped = true
    connector.close()
    for timer in [linkTimer, epochTimer, continuationTimer] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  // MARK: Connecting

  private func handle(_ event: GPSDLink.Event, now: Moment) { carryOut(link.handle(event, now: now)) }

  private func carryOut(_ actions: [GPSDLink.Action]) {
    guard !isStopped else { return }
    linkTimer?.arm(at: link.nextTimeout)
    for action in actions {
      switch action {
      case .open: connector.open()
      case .close: close()
      case .report(let notice): if !isStopped { onNotice(notice) }
      }
    }
  }

  private func close() {
    connector.close()
    continuationTimer?.arm(at: nil)
  }

  // MARK: Reading

  private func drain(now: Moment, isHungUp: Bool = false) {
    var lines = 0
    while let connection = connector.connection, !isStopped {
      guard lines < Self.linesPerTurn else {
        continuationTimer?.arm(at: now)
        break
      }
      let reading = connection.read()
      ignored.add(connection.takeOverlong(), .longLine)
      switch reading {
      case .report(let report): take(report, now: now)
      case .part: break
      case .empty:
        // A hang-up would be reported in every loop iteration.
        if isHungUp { handle(.failed(.ended), now: now) }
        return rearm()
      case .ended:
        epochs.finish(now: now) { closedEpochs.append($0) }
        handOver(now: now)
        handle(.failed(.ended), now: now)
      }
      lines += 1
    }
    rearm()
  }

  private func rearm() {
    if !isStopped { epochTimer?.arm(at: epochs.nextTimeout) }
  }

  private func take(_ report: GPSDReport, now: Moment) {
    if case .ignored(let reason) = report { ignored.add(1, reason) }
    epochs.take(report, now: now) { closedEpochs.append($0) }
    if report.isOfReceiver {
      reports &+= 1
      handle(.received, now: now)
    }
    handOver(now: now)
    guard let released = inventory.take(report), released == epochs.device else { return }
    handle(.deviceGone(path: released), now: now)
  }

  private func handOver(now: Moment) {
    let fixes = closedEpochs
    closedEpochs.removeAll(keepingCapacity: true)
    for fix in fixes where !isStopped { onEpoch(fix, now) }
  }
}
