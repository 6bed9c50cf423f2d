import Foundation
import Glibc

/// A TCP proxy on the loopback interface that delays the bytes in both directions, like a slow network, on separate
/// threads.
public final class DelayingProxy: Sendable {
  public let port: UInt16
  private let socket: Int32

  /// Forwards to a port of the loopback interface. Every byte is late by half of `roundTrip`, in milliseconds.
  public init?(to target: UInt16, roundTrip: Int64) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let number = socket
    var address = Self.address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, size) == 0 && listen(number, 8) == 0 && getsockname(number, $0, &size) == 0
      }
    }
    guard isListening else { return nil }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      while true {
        let client = accept(number, nil, nil)
        guard client >= 0 else { return }
        let server = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let address = Self.address(target)
        let isConnected = withUnsafePointer(to: address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
          }
        }
        if isConnected {
          Thread.detachNewThread { Self.forward(client, server, delay: roundTrip / 2) }
        } else {
          close(client)
          close(server)
        }
      }
    }
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    return address
  }

  private static func milliseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// Forwards until both sides have closed. The bytes before an end arrive before it.
  private static func forward(_ first: Int32, _ second: Int32, delay: Int64) {
    defer {
      close(first)
      close(second)
    }
    let ends = [first, second]
    var isOpen = [true, true]
    var late: [(due: Int64, target: Int32, bytes: [UInt8])] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while isOpen.contains(true) || !late.isEmpty {
      let wait = late.first.map { Int32(clamping: max($0.due - milliseconds(), 0)) } ?? -1
      // poll(2) ignores negative descriptors.
      var entries = ends.indices.map {
        pollfd(fd: isOpen[$0] ? ends[$0] : -1, events: Int16(POLLIN), revents: 0)
      }
      poll(&entries, 2, wait)
      for (index, entry) in entries.enumerated() where entry.revents != 0 {
        let count = recv(entry.fd, &buffer, buffer.count, 0)
        isOpen[index] = count > 0
        // No bytes stand for the end.
        late.append((milliseconds() + delay, ends[1 - index], Array(buffer[..<max(count, 0)])))
      }
      while let next = late.first, next.due <= milliseconds() {
        late.removeFirst()
        guard !next.bytes.isEmpty else {
          shutdown(next.target, Int32(SHUT_WR))
          continue
        }
        var sent = 0
        while sent < next.bytes.count {
          let rest = Array(next.bytes[sent...])
          let count = send(next.target, rest, rest.count, Int32(MSG_NOSIGNAL))
          guard count > 0 else { return }
          sent += count
        }
      }
    }
  }
}
