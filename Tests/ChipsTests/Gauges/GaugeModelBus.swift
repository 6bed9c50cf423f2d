import Foundation

import Chips

/// A bus with one chip of the rig, an independent model: `rig/chips.py` in a separate Python process.
final class GaugeModelBus: I2CBus {
  private static let rig: URL? = {
    let environment = ProcessInfo.processInfo.environment["OUTRIDER_SHARED"]
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let shared =
      environment.map { URL(fileURLWithPath: $0) }
      ?? package.deletingLastPathComponent().appendingPathComponent("shared")
    let rig = shared.appendingPathComponent("rig")
    return FileManager.default.fileExists(atPath: rig.appendingPathComponent("chips.py").path) ? rig : nil
  }()
  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static var isPresent: Bool { rig != nil && python != nil }

  /// One line each way: `w VALUE…` sets the simulated values, `x WRITE COUNT` is a transaction, `r`
  /// interrupts the supply.
  private static let script = """
    import sys
    sys.path.insert(0, sys.argv[1])
    import chips
    chip = chips.CHIPS[sys.argv[2]]()
    print(chips.ADDRESSES[sys.argv[2]], flush=True)
    for line in sys.stdin:
      word, *rest = line.split()
      if word == "w":
        chip.track = chips.Track([(0.0, *map(float, rest))])
        chip.tick(0.0)
        print("", flush=True)
      elif word == "r":
        chip.reset()
        print("", flush=True)
      else:
        try:
          chip.write(bytes.fromhex(rest[0]))
          print(chip.read(int(rest[1])).hex() if int(rest[1]) else "", flush=True)
        except chips.Nack:
          print("nack", flush=True)
    """

  private let process = Process()
  private let requests = Pipe()
  private let answers = Pipe()
  let address: I2CAddress

  struct Broken: Error {}

  init(_ chip: String) throws {
    guard let rig = Self.rig, let python = Self.python else { throw Broken() }
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-B", "-c", Self.script, rig.path, chip]
    process.standardInput = requests
    process.standardOutput = answers
    try process.run()
    guard let line = Self.line(from: answers), let raw = UInt8(line), let address = I2CAddress(raw) else {
      throw Broken()
    }
    self.address = address
  }

  deinit {
    try? requests.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Sets the values that the chip measures from now on, in the units of its track.
  func world(_ values: Double...) { _ = ask("w " + values.map { "\($0)" }.joined(separator: " ")) }

  func losesSupply() { _ = ask("r") }

  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    guard address == self.address else { throw .noAcknowledge(address) }
    let bytes = write.map { String(format: "%02x", $0) }.joined()
    guard let answer = ask("x \(bytes) \(readCount)"), answer != "nack" else { throw .noAcknowledge(address) }
    let digits = Array(answer)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }

  private func ask(_ request: String) -> String? {
    requests.fileHandleForWriting.write(Data((request + "\n").utf8))
    return Self.line(from: answers)
  }

  private static func line(from pipe: Pipe) -> String? {
    var line: [UInt8] = []
    while let byte = pipe.fileHandleForReading.readData(ofLength: 1).first {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }
}
