import Quantities
import Simulation

/// A host with a clock at the other end of a simulated module's line.
struct ModuleBench {
  var module: ReceiverModule
  /// Baud rate of the host in bit/s.
  var speed: UInt32
  var now = Moment.zero

  init(_ model: ModuleModel, _ change: (inout ModuleOptions) -> Void = { _ in }) {
    var options = ModuleOptions()
    options.firstStart = .hot
    change(&options)
    module = ReceiverModule(model, options: options)
    speed = module.speed
  }

  /// The bytes that arrive within `seconds`.
  @discardableResult mutating func listen(_ seconds: Double) -> [UInt8] {
    now = now + .milliseconds(Int64(seconds * 1000))
    return module.transmit(until: now, to: speed)
  }

  mutating func send(_ bytes: [UInt8]) { module.receive(bytes, at: speed, now: now) }

  /// A sentence without framing.
  mutating func send(_ body: String) { send(Self.framed(body)) }

  /// Bytes in hexadecimal digits, as printed in a data sheet.
  mutating func send(hex: String) { send(Self.bytes(hex)) }

  /// Implemented independently, so that a wrong checksum in the module is detected.
  static func framed(_ body: String) -> [UInt8] {
    var sum: UInt8 = 0
    for byte in body.utf8 { sum ^= byte }
    let digits = Array("0123456789ABCDEF".utf8)
    return Array("$\(body)*".utf8) + [digits[Int(sum >> 4)], digits[Int(sum & 15)], 13, 10]
  }

  static func bytes(_ hex: String) -> [UInt8] {
    hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
  }

  /// A UBX frame.
  static func ubx(_ group: UInt8, _ id: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let body = [group, id, UInt8(payload.count & 255), UInt8(payload.count >> 8)] + payload
    var (first, second) = (0, 0)
    for byte in body {
      first = (first + Int(byte)) % 256
      second = (second + first) % 256
    }
    return [0xB5, 0x62] + body + [UInt8(first), UInt8(second)]
  }

  /// The sentences in the received bytes, with framing and checksum verified and removed.
  static func sentences(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").compactMap { line in
      guard let start = line.lastIndex(of: "$"), let star = line.lastIndex(of: "*"), start < star else {
        return nil
      }
      let body = String(line[line.index(after: start)..<star])
      return framed(body) == Array("\(line[start...])\r\n".utf8) ? body : nil
    }
  }

  /// The UBX frames in the received bytes: class, id, payload.
  static func frames(_ bytes: [UInt8]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    for at in bytes.indices where bytes[at] == 0xB5 && at + 8 <= bytes.count && bytes[at + 1] == 0x62 {
      let length = Int(bytes[at + 4]) + Int(bytes[at + 5]) * 256
      guard at + 8 + length <= bytes.count else { continue }
      let payload = Array(bytes[(at + 6)..<(at + 6 + length)])
      guard ubx(bytes[at + 2], bytes[at + 3], payload) == Array(bytes[at..<(at + 8 + length)]) else {
        continue
      }
      frames.append([bytes[at + 2], bytes[at + 3]] + payload)
    }
    return frames
  }

  /// Listens until there is a fix; returns the seconds, or nil after `limit`.
  mutating func timeToFix(limit: Int = 60) -> Double? {
    let start = now
    for _ in 0..<limit * 10 {
      listen(0.1)
      if module.hasFix { return (now - start).inSeconds }
    }
    return nil
  }
}
