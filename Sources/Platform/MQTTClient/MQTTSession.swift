import EventLoop
import Quantities
import System

/// One connection to a broker: QoS 1. It runs in a process of its own, so that no byte of the broker ends this one.
///
/// All calls and callbacks are on the loop's thread. A session ends once and is not reused. After its end, no callback is
/// made.
public final class MQTTSession {
  /// An event of the session, reported to its owner.
  public enum Event: Equatable, Sendable {
    /// The broker accepted the connection.
    case connected
    /// The broker acknowledged the message with this number.
    case published(Int32)
    /// The broker acknowledged the message but has no subscriber for it (reason code 16, MQTT 5 section 3.4.2.1).
    /// Unless it retains the message, the message is lost. MQTT 3.1.1 has no such code.
    case unrouted(Int32)
    /// The broker rejected the message in its acknowledgement; the connection stays open.
    case refused(Int32, MQTTFailure)
    /// A message on the topic of the subscription.
    case received(MQTTMessage)
    /// The broker rejected the subscription; with the reason. The connection stays open.
    case notSubscribed(String)
    case ended(MQTTFailure)
  }

  /// The longest frame in bytes that the process may send: a topic, a message and a failure are shorter.
  private static let longestReport = 256 << 10
  /// How long ``close()`` waits until DISCONNECT is sent, in ms. It takes less than 1 ms on an idle host.
  private static let closingTime: Int32 = 50
  /// When a process that does not end after ``close()`` is killed.
  private static let killTime = Duration.seconds(5)

  private enum Phase {
    case starting, connecting, connected, ended
  }

  private let broker: MQTTBroker
  private let loop: EventLoop
  private let onEvent: (Event) -> Void
  private let socket: SessionSocket
  private let process: ChildProgram
  private var frames = SessionFrames(longest: MQTTSession.longestReport)
  private var phase = Phase.starting
  private var watches: (socket: EventLoop.Registration?, end: EventLoop.Registration?) = (nil, nil)
  private var isWriting = false
  private var lastNumber: Int32 = 0
  private var inFlight: Set<Int32> = []
  /// The maximum number of messages without an acknowledgement, from 1 to 65,535 (MQTT 5 section 3.2.2.3.3).
  public private(set) var receiveMaximum = 65_535
  /// True once the TCP connection exists: the broker owes the answer to CONNECT.
  public private(set) var hasReachedBroker = false

  /// Starts to connect. The broker publishes `will` if the connection ends without DISCONNECT.
  ///
  /// With the topic `subscription`, the session subscribes to it with QoS 1, and the broker keeps its messages for the next
  /// connection of this client.
  public init(
    _ broker: MQTTBroker, version: MQTTVersion = .five, will: MQTTMessage?, subscription: String? = nil,
    loop: EventLoop, onEvent: @escaping (Event) -> Void
  ) throws(MQTTFailure) {
    self.broker = broker
    self.loop = loop
    self.onEvent = onEvent
    do throws(SystemError) {
      let (socket, other) = try SessionSocket.pair()
      self.socket = socket
      // Nothing secret is an argument or a variable: other users can read them.
      process = try ChildProgram(
        SessionProcess.program, as: ["outrider", SessionProcess.word], connectedTo: Descriptor(owning: other))
    } catch {
      throw .invalid(reason: "\(error)")
    }
    do throws(SystemError) {
      watches.socket = try loop.watch(socket.raw, for: .readable) { [weak self] _ in self?.proceed() }
      watches.end = try loop.watch(process.descriptor, for: .readable) { [weak self] _ in self?.processEnded()
      }
    } catch {
      process.kill()
      release()
      throw .invalid(reason: "\(error)")
    }
    loop.awaitInSimulation(.thread) { [weak self] in self?.isStarting ?? false }
    loop.awaitInSimulation(.peer) { [weak self] in self?.isAwaitingBroker ?? false }
    send(
      .connect(SessionConnection(broker: broker, version: version, will: will, subscription: subscription)))
  }

  deinit {
    if !hasEnded { process.kill() }
    release()
  }

  private var isStarting: Bool { if case .starting = phase { true } else { false } }
  private var isConnected: Bool { if case .connected = phase { true } else { false } }
  private var hasEnded: Bool { if case .ended = phase { true } else { false } }
  /// True while the broker owes an answer: to the connection, or to a message.
  private var isAwaitingBroker: Bool { !hasEnded && (!isConnected || !inFlight.isEmpty) }

  /// Publishes a message with QoS 1 and returns its number; nil if the session has ended. The result is an event:
  /// `published`, `unrouted`, `refused` or `ended`.
  ///
  /// Further messages may be published before that, at most ``receiveMaximum``. The broker keeps their order.
  public func publish(_ message: MQTTMessage) -> Int32? {
    guard !hasEnded else { return nil }
    lastNumber = lastNumber == .max ? 1 : lastNumber + 1
    inFlight.insert(lastNumber)
    send(.publish(lastNumber, message))
    return lastNumber
  }

  /// Disconnects properly: the broker publishes no will.
  public func close() {
    guard !hasEnded else { return }
    guard isConnected else { return drop() }
    phase = .ended
    socket.send(SessionRequest.close.frame)
    release()
    // The next connection of this client must not come before: the broker would close this one and publish its will.
    if !socket.waitForEnd(atMost: Self.closingTime) { awaitEnd() }
  }

  /// Drops the connection without DISCONNECT, like a loss of power.
  public func drop() {
    phase = .ended
    release()
    process.kill()
  }

  /// Kills the process later, unless it ends by itself. The timer keeps the socket open until then.
  private func awaitEnd() {
    var timer: LoopTimer?
    let (loop, process, socket) = (loop, process, socket)
    timer = loop.addTimer("mqtt end") { _ in
      withExtendedLifetime(socket) { process.kill() }
      timer.map(loop.removeTimer)
      timer = nil
    }
    timer?.arm(after: Self.killTime)
  }

  private func release() {
    for case let registration? in [watches.socket, watches.end] { loop.remove(registration) }
    watches = (nil, nil)
  }

  // MARK: The process

  private func send(_ request: SessionRequest) {
    socket.send(request.frame)
    followRoom()
  }

  /// Waits for room in the socket as long as bytes have to be sent.
  private func followRoom() {
    guard let registration = watches.socket, socket.isWaiting != isWriting else { return }
    isWriting = socket.isWaiting
    try? loop.change(registration, to: isWriting ? [.readable, .writable] : .readable)
  }

  private func proceed() {
    socket.flush()
    followRoom()
    read()
  }

  /// Processes the reports that have arrived. After the last one, the end of the process follows.
  private func read() {
    switch socket.read() {
    case .nothing: return
    case .end:
      if let registration = watches.socket { loop.remove(registration) }
      watches.socket = nil
      return
    case .bytes(let bytes): frames.append(bytes)
    }
    do throws(SessionFrameError) {
      while !hasEnded, let frame = try frames.next() { handle(try SessionReport(frame)) }
    } catch {
      end(.crashed(broker: broker.displayURL, reason: "is out of order", wasConnected: isConnected))
    }
  }

  private func processEnded() {
    while !hasEnded, watches.socket != nil {
      read()
    }
    guard !hasEnded, let ending = process.ending else { return }
    if case .notStarted(let error) = ending {
      return end(.invalid(reason: "\(error); install the program again"))
    }
    let reason = ending.failure ?? "ended"
    end(.crashed(broker: broker.displayURL, reason: reason, wasConnected: isConnected))
  }

  private func handle(_ report: SessionReport) {
    switch report {
    case .started: if isStarting { phase = .connecting }
    case .reached: hasReachedBroker = true
    case .connected(let maximum):
      guard !isConnected else { return }
      phase = .connected
      receiveMaximum = max(Int(maximum), 1)
      onEvent(.connected)
    case .published(let number): if inFlight.remove(number) != nil { onEvent(.published(number)) }
    case .unrouted(let number): if inFlight.remove(number) != nil { onEvent(.unrouted(number)) }
    case .refused(let number, let failure):
      if inFlight.remove(number) != nil { onEvent(.refused(number, failure)) }
    case .received(let message): onEvent(.received(message))
    case .notSubscribed(let reason): onEvent(.notSubscribed(reason))
    case .ended(let failure): end(failure)
    }
  }

  private func end(_ failure: MQTTFailure) {
    guard !hasEnded else { return }
    phase = .ended
    release()
    process.kill()
    onEvent(.ended(failure))
  }
}
