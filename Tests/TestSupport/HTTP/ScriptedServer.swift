import EventLoop
import Glibc
import System

/// A small HTTP server on the loop under test that answers from a script and records the requests.
public final class ScriptedServer {
  public enum Reply: Sendable {
    /// A complete answer; the connection stays open.
    case answer(Int, headers: [String] = [], body: String = "")
    /// These bytes, then the connection is closed.
    case rawThenClose(String)
    /// One byte per interval, then the connection is closed.
    case drip(String, milliseconds: Int)
    /// The connection is closed without an answer.
    case close
    /// These bytes, then the connection is reset (RST).
    case rawThenReset(String)
    /// No answer, ever.
    case silence
  }

  public struct Request: Sendable {
    public var line: String
    /// Names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]
    /// Number of its connection, counted from 1.
    public var connection: Int
  }

  public let port: UInt16
  public private(set) var requests: [Request] = []
  public private(set) var connectionCount = 0
  /// Called after each request was recorded, before it is answered.
  public var onRequest: () -> Void = {}
  /// Determines each answer instead of the script.
  public var answer: ((Request) -> Reply)?
  /// Number of future connections that are reset immediately.
  public var resetsToCome = 0
  /// False to answer every request without recording it.
  public var keepsRequests = true

  private let loop: EventLoop
  private let listener: Descriptor
  private var script: [Reply]
  private var connections: [Int32: ScriptedConnection] = [:]
  private var registration: EventLoop.Registration?

  /// Listens on a free port of 127.0.0.1. The last reply of the script is repeated.
  public init(_ loop: EventLoop, _ script: [Reply]) throws(SystemError) {
    self.loop = loop
    self.script = script
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    listener = Descriptor(owning: try check("socket", socket(AF_INET, kind, 0)))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let raw = listener.raw
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(raw, address, size) == 0 && getsockname(raw, address, &size) == 0 && listen(raw, 16) == 0
      }
    }
    guard bound else { throw SystemError(call: "bind", number: errno) }
    port = UInt16(bigEndian: address.sin_port)
    registration = try loop.watch(raw, for: .readable) { [weak self] _ in self?.accept() }
  }

  /// Listens on a local socket at `path`.
  public init(_ loop: EventLoop, path: String, _ script: [Reply]) throws(SystemError) {
    self.loop = loop
    self.script = script
    port = 0
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    listener = Descriptor(owning: try check("socket", socket(AF_UNIX, kind, 0)))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1))
    }
    let raw = listener.raw
    let bound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(raw, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(raw, 16) == 0
      }
    }
    guard bound else { throw SystemError(call: "bind", subject: path, number: errno) }
    registration = try loop.watch(raw, for: .readable) { [weak self] _ in self?.accept() }
  }

  public func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Ends the server with all its connections.
  public func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
    for connection in connections.values { connection.close() }
    connections = [:]
  }

  private func accept() {
    while true {
      let socket = Glibc.accept(listener.raw, nil, nil)
      guard socket >= 0 else { return }
      _ = fcntl(socket, F_SETFL, O_NONBLOCK)
      connectionCount += 1
      guard resetsToCome == 0 else {
        resetsToCome -= 1
        ScriptedConnection.reset(socket)
        continue
      }
      let connection = ScriptedConnection(socket, number: connectionCount, loop: loop)
      connections[socket] = connection
      connection.onClose = { [weak self] in self?.connections[socket] = nil }
      connection.onRequest = { [weak self, weak connection] request in
        guard let self, let connection else { return }
        if keepsRequests { requests.append(request) }
        onRequest()
        let reply = answer.map { $0(request) }
        connection.reply(reply ?? (script.count > 1 ? script.removeFirst() : script.first ?? .close))
      }
      connection.start()
    }
  }
}
