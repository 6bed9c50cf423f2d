import Foundation
import Glibc
import Synchronization

/// A broker that answers with arbitrary bytes until it is told to behave, on separate threads.
public final class HostileBroker: Sendable {
  /// The packets of MQTT that the broker reads.
  public enum Occasion: UInt8, Sendable {
    case connect = 1
    case publish = 3
    case subscribe = 8
  }

  /// What the broker does instead of the right answer.
  public enum Conduct: Sendable {
    /// Sends these bytes. `number` is replaced by the packet identifier.
    case bytes([UInt8])
    /// Sends these bytes and closes the connection.
    case bytesAndEnd([UInt8])
    /// Sends the right answer, and these bytes after it.
    case answerAnd([UInt8])
    /// Sends these bytes so many times.
    case repeated([UInt8], Int)
    /// Closes the connection; with a reset if `abruptly`.
    case close(abruptly: Bool)
    case silence
  }

  /// Stands for the two bytes of the packet identifier.
  public static let number: [UInt8] = [0xEE, 0xEE]

  public struct Received: Sendable {
    /// The protocol level of every CONNECT.
    public var levels: [UInt8] = []
    /// The payloads of all messages, in their order.
    public var payloads: [String] = []
    /// The number of messages that were acknowledged rightly.
    public var acknowledged = 0
  }

  public let port: UInt16
  private let socket: Int32
  private let box = Box()

  private final class Box: Sendable {
    let received = Mutex(Received())
    let isGood = Mutex(false)
  }

  /// With `level`, the broker misbehaves only to clients of this protocol level: 5 is MQTT 5.
  public init?(at occasion: Occasion, _ conduct: Conduct, onlyTo level: UInt8? = nil) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = socket
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, size) == 0 && listen(number, 8) == 0 && getsockname(number, $0, &size) == 0
      }
    }
    guard isListening else { return nil }
    port = UInt16(bigEndian: address.sin_port)
    let box = box
    Thread.detachNewThread {
      while true {
        let client = accept(number, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread {
          Self.serve(client, occasion, conduct, onlyTo: level, box)
          close(client)
        }
      }
    }
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  public var received: Received { box.received.withLock { $0 } }

  /// From now on every answer is right, or strange again.
  public func behave(_ isGood: Bool = true) { box.isGood.withLock { $0 = isGood } }

  private static func serve(
    _ client: Int32, _ occasion: Occasion, _ conduct: Conduct, onlyTo strange: UInt8?, _ box: Box
  ) {
    var level: UInt8 = 5
    while let (kind, body) = packet(client) {
      var answer: [UInt8] = []
      var number = Self.number
      switch kind >> 4 {
      case 1:
        level = body.count > 6 ? body[6] : 0
        box.received.withLock { $0.levels.append(body.count > 6 ? body[6] : 0) }
        answer = level == 5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
      case 3:
        let length = Int(body[0]) << 8 | Int(body[1])
        number = Array(body[2 + length..<4 + length])
        let payload = body[(4 + length + (level == 5 ? 1 : 0))...]
        box.received.withLock { $0.payloads.append(String(decoding: payload, as: UTF8.self)) }
        answer = [0x40, 2] + number
      case 8:
        number = Array(body[0..<2])
        answer = level == 5 ? [0x90, 4] + number + [0, 1] : [0x90, 3] + number + [1]
      case 12: answer = [0xD0, 0]
      default: return
      }
      var isRight = true
      if kind >> 4 == occasion.rawValue, strange == nil || strange == level, !box.isGood.withLock({ $0 }) {
        switch conduct {
        case .bytes(let bytes): (answer, isRight) = (replacing(bytes, by: number), false)
        case .bytesAndEnd(let bytes):
          _ = send(client, replacing(bytes, by: number))
          return
        case .answerAnd(let bytes): answer += replacing(bytes, by: number)
        case .silence: (answer, isRight) = ([], false)
        case .close(let abruptly):
          if abruptly {
            var value = linger(l_onoff: 1, l_linger: 0)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
          }
          return
        case .repeated(let bytes, let count):
          for _ in 0..<count where !send(client, bytes) { return }
          (answer, isRight) = ([], false)
        }
      }
      if isRight, kind >> 4 == 3 { box.received.withLock { $0.acknowledged += 1 } }
      _ = send(client, answer)
    }
  }

  private static func replacing(_ bytes: [UInt8], by number: [UInt8]) -> [UInt8] {
    var result = bytes
    for index in bytes.indices.dropLast() where Array(bytes[index...index + 1]) == Self.number {
      result.replaceSubrange(index...index + 1, with: number)
    }
    return result
  }

  private static func send(_ client: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func packet(_ client: Int32) -> (kind: UInt8, body: [UInt8])? {
    guard let kind = bytes(1, client)?.first else { return nil }
    var length = 0
    for index in 0..<4 {
      guard let digit = bytes(1, client)?.first else { return nil }
      length += Int(digit & 127) << (7 * index)
      if digit < 128 { break }
    }
    return bytes(length, client).map { (kind, $0) }
  }

  private static func bytes(_ count: Int, _ client: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = buffer.withUnsafeMutableBytes {
        recv(client, $0.baseAddress?.advanced(by: filled), count - filled, 0)
      }
      guard read > 0 else { return nil }
      filled += read
    }
    return buffer
  }
}
