import Foundation
import Glibc
import Synchronization

/// A broker that supports four packet types of MQTT 3.1.1 and MQTT 5 and follows a script, on a separate
/// thread.
public final class ScriptedBroker: Sendable {
  /// Behaviour for one connection.
  public enum Conduct: Sendable {
    /// Closes it at the first byte.
    case hangUp
    /// Answers CONNECT with this code (3.2.2.3), and closes the connection unless it is 0.
    case answer(UInt8)
    /// Receives messages, and closes without acknowledging the first.
    case goBeforeAcknowledging
    /// Uses MQTT 5 and acknowledges each message with this reason code (3.4.2.1).
    case acknowledge(UInt8)
    /// Uses MQTT 5, and sends endless unsolicited messages as soon as the client is connected.
    case flood
    /// Uses MQTT 5 with this Receive Maximum (3.2.2.3.3), and acknowledges only once so many messages wait: the newest
    /// first if `isReversed`.
    case window(receiveMaximum: UInt8, of: Int, isReversed: Bool)
    /// Uses MQTT 5, acknowledges so many messages, and closes at a later one that is received as the last of `of`.
    case goAfter(acknowledging: Int, of: Int)
  }

  public struct Publication: Equatable, Sendable {
    public var topic: String
    public var payload: String
  }

  /// The data that the broker received.
  public struct Received: Sendable {
    /// The level of each CONNECT (3.1.2.2): 4 is 3.1.1, 5 is MQTT 5.
    public var levels: [UInt8] = []
    /// The bytes of each CONNECT after its first header.
    public var connects: [String] = []
    public var publications: [Publication] = []
    /// The largest number of messages that waited for an acknowledgement at the same time.
    public var mostInFlight = 0
  }

  public let port: UInt16
  private let socket: Int32
  private let box = Box()

  private final class Box: Sendable {
    let received = Mutex(Received())
  }

  /// The last entry of the script applies to all later connections.
  public init?(_ script: [Conduct]) {
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
    guard isListening, let last = script.last else { return nil }
    port = UInt16(bigEndian: address.sin_port)
    let box = box
    Thread.detachNewThread {
      var remainder = script[...]
      while true {
        let client = accept(number, nil, nil)
        guard client >= 0 else { return }
        Self.serve(client, remainder.popFirst() ?? last, box)
        close(client)
      }
    }
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  public var received: Received { box.received.withLock { $0 } }

  private static func serve(_ client: Int32, _ conduct: Conduct, _ box: Box) {
    var waiting: [[UInt8]] = []
    var seen = 0
    while let (kind, body) = packet(client) {
      switch kind >> 4 {
      case 1:
        box.received.withLock {
          $0.levels.append(body.count > 6 ? body[6] : 0)
          $0.connects.append(String(decoding: body, as: UTF8.self))
        }
        switch conduct {
        case .hangUp: return
        case .answer(let code):
          send(client, [0x20, 2, 0, code])
          if code != 0 { return }
        case .goBeforeAcknowledging: send(client, [0x20, 2, 0, 0])
        case .acknowledge, .goAfter: send(client, [0x20, 3, 0, 0, 0])
        case .window(let maximum, _, _): send(client, [0x20, 6, 0, 0, 3, 0x21, 0, maximum])
        case .flood:
          send(client, [0x20, 3, 0, 0, 0])
          // PUBLISH of QoS 0 to "x", without properties.
          let message: [UInt8] = [0x30, 5, 0, 1, 0x78, 0, 0x21]
          let block = Array(repeatElement(message, count: 2000).joined())
          while Glibc.send(client, block, block.count, Int32(MSG_NOSIGNAL)) > 0 {}
          return
        }
      case 3:
        let length = Int(body[0]) << 8 | Int(body[1])
        let topic = String(decoding: body[2..<2 + length], as: UTF8.self)
        var start = 4 + length
        // MQTT 5 has properties before the payload; these messages have none.
        switch conduct {
        case .acknowledge, .window, .goAfter: start += 1
        case .hangUp, .answer, .goBeforeAcknowledging, .flood: break
        }
        let payload = String(decoding: body[start...], as: UTF8.self)
        box.received.withLock { $0.publications.append(Publication(topic: topic, payload: payload)) }
        if case .goBeforeAcknowledging = conduct { return }
        let number = [body[2 + length], body[3 + length]]
        if case .window(_, let size, let isReversed) = conduct {
          waiting.append(number)
          box.received.withLock { $0.mostInFlight = max($0.mostInFlight, waiting.count) }
          guard waiting.count >= size || !hasMore(client) else { continue }
          for number in isReversed ? waiting.reversed() : waiting { send(client, [0x40, 2] + number) }
          waiting = []
        } else if case .goAfter(let acknowledged, let total) = conduct {
          seen += 1
          if seen <= acknowledged { send(client, [0x40, 2] + number) }
          if seen >= total { return }
        } else if case .acknowledge(let code) = conduct {
          send(client, [0x40, 3, body[2 + length], body[3 + length], code])
        } else {
          send(client, [0x40, 2, body[2 + length], body[3 + length]])
        }
      case 12: send(client, [0xD0, 0])
      default: return
      }
    }
  }

  /// True if the client sends further bytes within 200 ms.
  private static func hasMore(_ client: Int32) -> Bool {
    var entry = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 200) > 0
  }

  private static func send(_ client: Int32, _ bytes: [UInt8]) {
    _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// The first byte of a packet, and the body after its length; nil at the end.
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
