import EventLoop
import GPSDProtocol
import Glibc
import HTTPServer
import System

/// The sockets of the clients of gpsd's protocol. It arms no timer for them: the kernel finds clients that disappeared.
final class GPSDServer {
  /// Handlers, set before the first turn of the loop.
  struct Outputs {
    /// Returns what the answers to requests are about.
    var situation: () -> GPSDClient.Situation? = { nil }
    /// The clients, or what they watch, have changed.
    var clientsChanged: () -> Void = {}
  }

  /// The most clients at a time.
  static let clientLimit = 8
  /// The most bytes that are read from a client in one turn of the loop.
  private static let readSize = 4096

  private final class Connection {
    let descriptor: Descriptor
    var registration: EventLoop.Registration?
    var client: GPSDClient
    var waitsForRoom = false

    init(_ descriptor: consuming Descriptor, _ client: GPSDClient) {
      self.descriptor = descriptor
      self.client = client
    }
  }

  private let loop: EventLoop
  private let version: String
  private var listener: TCPListener?
  /// The clients, the oldest first.
  private var connections: [Connection] = []
  var outputs = Outputs()

  /// Starts to listen. `version` is that of this program. Throws if the address cannot be served.
  init(loop: EventLoop, address: String, port: UInt16, version: String) throws(HTTPServerError) {
    self.loop = loop
    self.version = version
    listener = try TCPListener(loop: loop, address: address, port: port) { [weak self] in self?.accept() }
  }

  deinit { stop() }

  /// The address with its actual port.
  var address: ListenAddress? { listener?.address }
  var clientCount: Int { connections.count }
  /// The clients that have enabled watching, also without a form.
  var watchingCount: Int { connections.count { $0.client.policy.isEnabled } }
  /// True if a client gets TPV and SKY objects.
  var wantsReports: Bool { connections.contains { $0.client.policy.wantsReports } }
  /// True if a client shows the satellites, in objects or by polling.
  var wantsSatellites: Bool { connections.contains { $0.client.wantsSatellites } }
  /// True if a client gets the sentences of the receiver.
  var wantsSentences: Bool { connections.contains { $0.client.policy.wantsSentences } }

  /// Closes all sockets.
  func stop() {
    listener?.stop()
    listener = nil
    for connection in connections { close(connection) }
    connections = []
  }

  /// Sends what a wake-up has brought to those who watch it.
  func publish(reports: [UInt8], sentences: [UInt8]) {
    for connection in connections {
      let policy = connection.client.policy
      if policy.wantsReports { connection.client.send(reports) }
      if policy.wantsSentences { connection.client.send(sentences) }
      flush(connection)
    }
  }

  // MARK: Clients

  private func accept() {
    for _ in 0..<Self.clientLimit {
      guard let descriptor = listener?.accept() else { return }
      add(descriptor)
    }
  }

  /// Adds a client. If there are too many, the oldest one that does not watch makes room for it.
  private func add(_ descriptor: consuming Descriptor) {
    if connections.count >= Self.clientLimit {
      guard let idle = connections.first(where: { !$0.client.policy.isEnabled }) else { return }
      remove(idle)
    }
    let connection = Connection(descriptor, GPSDClient(version: version))
    do throws(SystemError) {
      connection.registration = try loop.watch(connection.descriptor.raw, for: .readable) {
        [weak self, weak connection] readiness in
        if let connection { self?.ready(connection, readiness) }
      }
    } catch { return }
    connections.append(connection)
    flush(connection)
    outputs.clientsChanged()
  }

  private func ready(_ connection: Connection, _ readiness: EventLoop.Readiness) {
    if readiness.contains(.writable) { flush(connection) }
    if readiness.contains(.readable) { return read(connection) }
    if readiness.contains(.hangup) { remove(connection) }
  }

  private func read(_ connection: Connection) {
    let count = withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 1) { buffer in
      let count = recv(connection.descriptor.raw, buffer.baseAddress, buffer.count, 0)
      guard count > 0, let situation = outputs.situation() else { return count }
      let former = (connection.client.policy, connection.client.wantsSatellites)
      connection.client.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), situation)
      if former != (connection.client.policy, connection.client.wantsSatellites) { outputs.clientsChanged() }
      return count
    }
    if count > 0 { return flush(connection) }
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    remove(connection)
  }

  /// Sends as much as the kernel takes; disconnects a client that broke a limit.
  private func flush(_ connection: Connection) {
    guard !connection.client.hasFailed else { return remove(connection) }
    while !connection.client.unsent.isEmpty {
      let count = connection.client.unsent.withUnsafeBytes {
        send(connection.descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        connection.client.sent(count)
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        return remove(connection)
      }
    }
    let waits = !connection.client.unsent.isEmpty
    guard waits != connection.waitsForRoom, let registration = connection.registration else { return }
    connection.waitsForRoom = waits
    try? loop.change(registration, to: waits ? [.readable, .writable] : .readable)
  }

  private func remove(_ connection: Connection) {
    guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
    connections.remove(at: index)
    close(connection)
    outputs.clientsChanged()
  }

  private func close(_ connection: Connection) {
    if let registration = connection.registration { loop.remove(registration) }
    connection.registration = nil
  }
}
