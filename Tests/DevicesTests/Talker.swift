import CSerial
import EventLoop
import Quantities
import Devices

/// A receiver at the other end of a ``PseudoTerminal``: it sends ten epochs per second, and noise if the host
/// uses a different baud rate.
final class Talker {
  var terminal: PseudoTerminal?
  /// The baud rate at which its output is readable; nil for any.
  var speed: UInt32?
  /// Sends only the first half of its epochs.
  var isCutOff = false
  private(set) var epochs = 0
  private let loop: EventLoop
  private var timer: LoopTimer?
  private var noise = SplitMix64(seed: 1)

  init(loop: EventLoop, terminal: PseudoTerminal?) {
    self.loop = loop
    self.terminal = terminal
    timer = loop.addTimer("talker") { [unowned self] now in
      speak()
      timer?.arm(at: now + .milliseconds(100))
    }
    timer?.arm(at: loop.now)
  }

  static func epoch(_ number: Int) -> [UInt8] {
    let time = 36_000 + number / 10
    let clock =
      [time / 3600, time / 60 % 60, time % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
      + ".\(number % 10)0"
    return [
      "GNRMC,\(clock),A,5231.00000,N,01323.00000,E,1.000,90.00,210326,,,A,V",
      "GNGGA,\(clock),5231.00000,N,01323.00000,E,1,10,0.80,38.0,M,39.5,M,,",
    ].flatMap { body in
      let sum = body.utf8.reduce(0, ^)
      return Array("$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n".utf8)
    }
  }

  private func speak() {
    guard let terminal else { return }
    if let speed, serial_speed(terminal.raw) != Int(speed) {
      let bytes = (0..<1600).map { _ in UInt8.random(in: 0x80...0xFF, using: &noise) & 0xEF }
      _ = terminal.writeThrough(bytes)
      return
    }
    epochs += 1
    let bytes = Self.epoch(epochs)
    _ = terminal.writeThrough(bytes.prefix(isCutOff ? bytes.count / 2 : bytes.count))
  }
}
