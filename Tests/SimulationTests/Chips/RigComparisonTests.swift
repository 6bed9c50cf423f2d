import Foundation
import Quantities
import Testing
import Simulation

private enum RigModels {
  static let folder: URL? = {
    let named = ProcessInfo.processInfo.environment["OUTRIDER_SHARED"].map { URL(fileURLWithPath: $0) }
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    // A worktree is one folder deeper than the repository.
    let folders = [
      package.deletingLastPathComponent(), package.deletingLastPathComponent().deletingLastPathComponent(),
    ]
    return (named.map { [$0] } ?? folders.map { $0.appendingPathComponent("shared") })
      .map { $0.appendingPathComponent("rig") }
      .first { FileManager.default.fileExists(atPath: $0.appendingPathComponent("chips.py").path) }
  }()
}

/// The simulated chips compared with independent models: the same transactions at the same times must give
/// the same bytes. The models are not part of the repository: `rig/chips.py` in the folder named by
/// `OUTRIDER_SHARED`, or in `shared` beside the package.
@Suite(
  .enabled(
    if: RigModels.folder != nil,
    "recordings and rig are missing: put them in ../shared, or set OUTRIDER_SHARED to their folder"))
struct RigComparisonTests {
  struct Step: Encodable {
    var at: Double
    var write: [UInt8]
    var read: Int
  }

  private struct Order: Encodable { var chip: String, track: [[Double]], steps: [Step] }

  private static let program = """
    import json, sys
    sys.path.insert(0, sys.argv[1])
    import chips
    told = json.load(sys.stdin)
    chip = chips.CHIPS[told["chip"]](chips.Track([tuple(row) for row in told["track"]]))
    answers = []
    for step in told["steps"]:
        chip.tick(step["at"])
        if step["write"]:
            chip.write(bytes(step["write"]))
        answers.append([list(chip.read(step["read"])), bool(getattr(chip, "int1", False))])
    json.dump([a[0] + [a[1] and 1 or 0] for a in answers], sys.stdout)
    """

  /// The model's answer, followed by 1 if its interrupt line is raised.
  static func model(_ chip: String, track: [[Double]], _ steps: [Step]) throws -> [[UInt8]] {
    let process = Process()
    let (toModel, fromModel) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-B", "-c", program, try #require(RigModels.folder).path]
    process.standardInput = toModel
    process.standardOutput = fromModel
    try process.run()
    try toModel.fileHandleForWriting.write(
      contentsOf: JSONEncoder().encode(Order(chip: chip, track: track, steps: steps)))
    try toModel.fileHandleForWriting.close()
    let answer = fromModel.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try JSONDecoder().decode([[UInt8]].self, from: answer)
  }

  static func ours(_ part: some VirtualPart, _ steps: [Step], line: Bool) -> [[UInt8]] {
    var part = part
    part.powerUp(at: .zero)
    return steps.map { step in
      part.advance(to: second(step.at))
      return part.transfer(write: step.write, readCount: step.read) + [line && part.isInterruptRaised ? 1 : 0]
    }
  }

  static func csv(_ track: [[Double]]) -> String {
    track.map { $0.map { "\($0)" }.joined(separator: ",") }.joined(separator: "\n")
  }

  /// Defaults, then sampling into the FIFO in every format and range, with a wait that overruns it. No value
  /// lies half-way between two steps, where rounding would matter. The FIFO is not read with exactly 32
  /// samples: only the simulated chip treats that as an overrun, the model does not.
  @Test(arguments: [0x37, 0x47, 0x3F] as [UInt8], [0x80, 0x90, 0xA8, 0xB8] as [UInt8])
  func theLIS3DHSamplesAlike(_ control1: UInt8, _ control4: UInt8) throws {
    let track = [
      [0, 0.50131, -0.25717, 1.00719], [3, -0.70353, 0.90173, 0.20911], [9, 1.10717, 0.30393, -1.00129],
    ]
    var steps = [0x0F, 0x1E, 0x20, 0x21, 0x22, 0x23, 0x24, 0x2E, 0x2F, 0x30, 0x31, 0x32, 0x33].map {
      Step(at: 0, write: [$0], read: 1)
    }
    steps += [
      Step(at: 0, write: [0xA1, 0, 0x04, control4, 0x40, 0], read: 0),
      Step(at: 0, write: [0x2E, 0x98], read: 0),
      Step(at: 0, write: [0x20, control1], read: 0),
    ]
    for at in [0.303, 0.503, 0.903, 1.013, 5.003, 5.303] {
      steps += [Step(at: at, write: [0xAE], read: 2), Step(at: at, write: [0xA8], read: 6 * 10)]
    }
    let expected = try Self.model("lis3dh", track: track, steps)
    let part = VirtualLIS3DH(track: try AccelerationTrack(csv: Self.csv(track).utf8))
    let got = Self.ours(part, steps, line: false)
    for (index, step) in steps.enumerated() {
      // The model lowers its line only at the next sample: only the bytes are compared.
      #expect(got[index].dropLast() == expected[index].dropLast(), "\(step)")
    }
  }

  @Test func theLIS3DHWakesAlike() throws {
    let track = [
      [0, 0, 0, 1], [20, 0, 0, 1], [20.2, 0.4, 0, 1], [20.4, 0, 0, 1], [40, 0, 0, 1], [40.3, 0, -0.5, 1],
    ]
    var steps = [
      Step(at: 0, write: [0xA1, 0x01, 0x40, 0x80, 0x08, 0], read: 0),
      Step(at: 0, write: [0xB2, 4, 0], read: 0),
      Step(at: 0, write: [0x20, 0x27], read: 0), Step(at: 0, write: [0x26], read: 1),
      Step(at: 0, write: [0x30, 0x2A], read: 1),
    ]
    for at in stride(from: 0.55, to: 60, by: 0.5) { steps.append(Step(at: at, write: [0x30], read: 1)) }
    for at in [61.0, 61.05, 70] { steps.append(Step(at: at, write: [0x31], read: 1)) }
    let expected = try Self.model("lis3dh", track: track, steps)
    #expect(expected.contains { $0.last == 1 } && expected.last?.last == 0)
    let part = VirtualLIS3DH(track: try AccelerationTrack(csv: Self.csv(track).utf8))
    let got = Self.ours(part, steps, line: true)
    #expect(got.map(\.last) == expected.map(\.last))
  }

  /// Low events of all axes, at 10 Hz and at 1 Hz: `CTRL_REG1`, `INT1_DURATION`.
  @Test(arguments: [(0x27, 50), (0x17, 20)] as [(UInt8, UInt8)])
  func theLIS3DHDetectsInactivityAlike(_ control1: UInt8, _ duration: UInt8) throws {
    // The signal oscillates about its final position: the filters differ in the last digit, and on a slow
    // return to zero they would fall below the threshold at different samples.
    func swing(from second: Double) -> [[Double]] {
      (0...30).map { (turn: Int) -> [Double] in
        let x: Double = turn.isMultiple(of: 2) ? 0.41 : -0.39
        return [second + Double(turn) * 0.33, x, 0.01, 1]
      }
    }
    var track: [[Double]] = [[0, 0, 0, 1]]
    track += swing(from: 5)
    track += [[15.2, 0, 0, 1], [70, 0, 0, 1]] as [[Double]]
    track += swing(from: 70.1)
    track.append([80.3, 0, 0, 1])
    var steps = [
      Step(at: 0, write: [0xA1, 0x01, 0x40, 0x80, 0x08, 0], read: 0),
      Step(at: 0, write: [0xB2, 8, duration], read: 0),
      Step(at: 0, write: [0x20, control1], read: 0), Step(at: 0, write: [0x26], read: 1),
      Step(at: 0, write: [0x30, 0x95], read: 1), Step(at: 0, write: [0x31], read: 1),
    ]
    for at in stride(from: 0.55, to: 69, by: 0.5) { steps.append(Step(at: at, write: [0x30], read: 1)) }
    steps.append(Step(at: 69.55, write: [0x31], read: 1))
    for at in stride(from: 70.55, to: 180, by: 0.5) { steps.append(Step(at: at, write: [0x30], read: 1)) }
    let expected = try Self.model("lis3dh", track: track, steps)
    #expect(expected.contains { $0.last == 1 } && expected[6].last == 0)
    let part = VirtualLIS3DH(track: try AccelerationTrack(csv: Self.csv(track).utf8))
    let got = Self.ours(part, steps, line: true)
    #expect(got.map(\.last) == expected.map(\.last))
  }

  @Test func theMAX17048AnswersAlike() throws {
    let track = [[0, 3.9, 80, -4], [7200, 3.7, 25, -27.5], [9000, 4.1, 60, 31]]
    var steps = [0x06, 0x08, 0x0A, 0x0C, 0x14, 0x18, 0x1A, 0xFE].map { Step(at: 0, write: [$0], read: 2) }
    // Without hibernation, which the model does not support.
    steps.append(Step(at: 0, write: [0x0A, 0, 0], read: 0))
    steps.append(Step(at: 0, write: [0x1A, 0, 0], read: 0))
    for at in [1.0, 500, 3600, 7000, 7200, 8000, 9500] {
      for register: UInt8 in [0x02, 0x04, 0x16, 0x1A, 0x0C] {
        steps.append(Step(at: at, write: [register], read: 2))
      }
    }
    let expected = try Self.model("max17048", track: track, steps)
    let part = VirtualMAX17048(track: try CellTrack(csv: Self.csv(track).utf8))
    #expect(Self.ours(part, steps, line: false) == expected)
  }
}
