import Foundation

import Chips

/// A bus with one chip simulated in Python, in a separate process that communicates in lines of JSON.
///
/// The models are not part of the repository: `rig/chips.py` in the folder named by `OUTRIDER_SHARED`, or in
/// `shared` beside the package.
final class ChipsModelBus: I2CBus {
  static let folder: URL? = {
    let named = ProcessInfo.processInfo.environment["OUTRIDER_SHARED"].map { URL(fileURLWithPath: $0) }
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    let folder = named ?? package.deletingLastPathComponent().appendingPathComponent("shared")
    let rig = folder.appendingPathComponent("rig")
    let model = rig.appendingPathComponent("chips.py")
    return FileManager.default.fileExists(atPath: model.path) ? rig : nil
  }()

  static var isPresent: Bool { folder != nil }

  private static let program = """
    import json, sys
    sys.path.insert(0, sys.argv[1])
    import chips
    told = json.loads(sys.stdin.readline())
    chip = chips.CHIPS[told["chip"]](chips.Track([tuple(row) for row in told["track"]]))
    for line in sys.stdin:
        told, answer = json.loads(line), {"bytes": []}
        try:
            if "tick" in told:
                chip.tick(told["tick"])
            if told.get("reset"):
                chip.reset()
            if "write" in told:
                chip.write(bytes(told["write"]))
            if told.get("read"):
                answer["bytes"] = list(chip.read(told["read"]))
        except chips.Nack:
            answer["nack"] = True
        answer["line"] = bool(getattr(chip, "int1", False))
        print(json.dumps(answer), flush=True)
    """

  private struct Setup: Encodable { var chip: String, track: [[Double]] }

  private struct Request: Encodable {
    var tick: Double?
    var reset: Bool?
    var write: [UInt8]?
    var read: Int?
  }

  private struct Answer: Decodable {
    var bytes: [UInt8]
    var nack: Bool?
    var line: Bool
  }

  private let process = Process()
  private let toModel = Pipe()
  private let fromModel = Pipe()
  private let address: UInt8
  private var received = Data()
  /// Number of transactions.
  private(set) var count = 0
  /// True if the interrupt line was raised after the last request; only for models with a line.
  private(set) var isLineRaised = false

  /// `track`: rows of seconds and g on three axes, interpolated linearly.
  init(_ chip: String, at address: UInt8, track: [[Double]]) throws {
    guard let folder = Self.folder else { throw CocoaError(.fileNoSuchFile) }
    self.address = address
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-B", "-c", Self.program, folder.path]
    process.standardInput = toModel
    process.standardOutput = fromModel
    try process.run()
    try send(Setup(chip: chip, track: track))
  }

  deinit {
    try? toModel.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Advances the chip to a second of its track.
  func advance(to second: Double) throws { _ = try ask(Request(tick: second)) }

  /// Switches its supply off and on.
  func interruptSupply() throws { _ = try ask(Request(reset: true)) }

  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    count += 1
    guard address.rawValue == self.address else { throw .noAcknowledge(address) }
    guard let answer = try? ask(Request(write: write, read: readCount)) else { throw .timedOut(address) }
    if answer.nack == true { throw .noAcknowledge(address) }
    return answer.bytes
  }

  private func send(_ message: some Encodable) throws {
    try toModel.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(message) + Data("\n".utf8))
  }

  private func ask(_ request: Request) throws -> Answer {
    try send(request)
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = received[..<end]
        received = Data(received[received.index(after: end)...])
        let answer = try JSONDecoder().decode(Answer.self, from: line)
        isLineRaised = answer.line
        return answer
      }
      let more = fromModel.fileHandleForReading.availableData
      guard !more.isEmpty else { throw CocoaError(.fileReadUnknown) }
      received += more
    }
  }
}
