import EventLoop
import Foundation
import GNSSProtocol
import GNSSReport
import Glibc
import Quantities
import System
import Testing
@testable import Devices

/// A loop with a ``GPSDSource`` on a separate port, and the results.
final class GPSDBench {
  let loop: EventLoop
  let port: UInt16
  let source: GPSDSource
  private(set) var fixes: [Fix] = []
  private(set) var notices: [GPSDSource.Notice] = []

  init(port: UInt16? = nil, timeout: Duration = .seconds(30)) throws {
    loop = try EventLoop()
    self.port = try port ?? Self.freePort()
    source = GPSDSource(loop: loop, host: "127.0.0.1", port: self.port, timeout: timeout)
    source.onEpoch = { [unowned self] fix, _ in fixes.append(fix) }
    source.onNotice = { [unowned self] notice in
      // A callback may query any state.
      _ = (source.device, source.release, source.isOpen)
      notices.append(notice)
    }
  }

  deinit { source.stop() }

  /// A port that is not in use.
  static func freePort() throws -> UInt16 { try ListeningPort(accepts: 0).port }

  /// Runs the loop until `isMet`; records an issue after ten seconds.
  func wait(at location: SourceLocation = #_sourceLocation, until isMet: @escaping () -> Bool) throws {
    let deadline = loop.addTimer("deadline") { [loop] _ in loop.stop() }
    deadline.arm(at: loop.now + .seconds(10))
    defer { loop.removeTimer(deadline) }
    var wasMet = false
    loop.everyTurn { [loop] _ in
      guard !wasMet, isMet() else { return }
      wasMet = true
      loop.stop()
    }
    try loop.run()
    #expect(wasMet, sourceLocation: location)
  }
}

/// A listening socket on the loopback interface.
///
/// It uses plain sockets, so that misbehaviour is never that of the code under test.
final class ListeningPort {
  let raw: Int32
  let port: UInt16

  /// `accepts` is the number of connections that the kernel completes before they are accepted, minus one.
  init(_ requestedPort: UInt16 = 0, accepts: Int32) throws {
    raw = try check("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var yes: Int32 = 1
    setsockopt(raw, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = Self.loopback(requestedPort)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = raw
    try withUnsafeMutablePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        try check("bind", bind(socket, pointer, length))
        try check("getsockname", getsockname(socket, pointer, &length))
      }
    }
    try check("listen", listen(raw, accepts))
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(raw) }

  /// A connection to the port, which the kernel completes by itself.
  func connection() throws -> Descriptor {
    let descriptor = Descriptor(
      owning: try check(
        "socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)))
    var address = Self.loopback(port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let raw = descriptor.raw
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(raw, $0, length) }
    }
    return descriptor
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

/// A simulated gpsd that sends what the test specifies.
final class ScriptedGPSD {
  let listener: ListeningPort
  /// Sent to each client immediately.
  var greeting: [String] = [
    #"{"class":"VERSION","release":"9.9","rev":"9","proto_major":3,"proto_minor":15}"#
  ]
  private(set) var connections = 0
  private let loop: EventLoop
  private var client: (raw: Int32, registration: EventLoop.Registration)?
  private var registration: EventLoop.Registration?
  private(set) var received = ""

  init(_ loop: EventLoop, port: UInt16) throws {
    self.loop = loop
    listener = try ListeningPort(port, accepts: 8)
    registration = try loop.watch(listener.raw, for: .readable) { [unowned self] _ in accept() }
  }

  deinit {
    hangUp()
    if let registration { loop.remove(registration) }
  }

  private func accept() {
    hangUp()
    let raw = Glibc.accept(listener.raw, nil, nil)
    connections += 1
    let watched = try? loop.watch(raw, for: .readable) { [unowned self] _ in receive() }
    guard let registration = watched else { return }
    client = (raw, registration)
    for line in greeting { sendLine(line) }
  }

  private func receive() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    guard let client else { return }
    let count = read(client.raw, &bytes, bytes.count)
    if count <= 0 { return hangUp() }
    received += String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  func hangUp() {
    guard let client else { return }
    loop.remove(client.registration)
    close(client.raw)
    self.client = nil
  }

  func sendLine(_ line: String) { send(line + "\r\n") }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    guard let client else { return }
    _ = Glibc.send(client.raw, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// A position report for a second of the day.
  static func position(_ second: Int, device: String? = "/dev/a") -> String {
    let clock = [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      .joined(separator: ":")
    let device = device.map { #""device":"\#($0)","# } ?? ""
    return #"{"class":"TPV",\#(device)"mode":3,"time":"2026-06-01T\#(clock).000Z","#
      + #""lat":52.5,"lon":13.25,"altHAE":77.5,"altMSL":38.0,"speed":1.5,"track":90.0,"eph":2.5}"#
  }

  static func device(_ path: String = "/dev/a", driver: String = "u-blox", isActive: Bool = true) -> String {
    #"{"class":"DEVICE","path":"\#(path)","driver":"\#(driver)","#
      + (isActive ? #""activated":"2026-06-01T00:00:00.000Z"}"# : #""activated":0}"#)
  }
}
