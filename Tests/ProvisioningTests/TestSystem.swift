import Provisioning
import Quantities
import Settings

/// A device with a disk in memory, for the set-up.
struct TestSystem: ProvisioningSystem {
  var disk = ModelDisk()
  var identity = HostIdentity([.serial: "10000000abcdef01", .mac: "b827eb010203", .hostname: "kestrel"])
  var mounts = MountTable(mountinfo: Array("1 0 8:1 / / rw - ext4 /dev/mmcblk0p2 rw\n".utf8))
  var hardware = SetupFacts(boards: [], model: nil, ports: [])
  var time = "2026-11-03T10:00:00Z"
  var answer = Download.unreachable(reason: "https://example.org: cannot resolve the host name")
  var board = BoardOutcome.done("set up; start the system again")
  /// The number of file operations until the power fails; nil for never.
  var stepsUntilCut: Int?
  private(set) var boards: [String] = []
  private(set) var setUps: [(url: SetupURL, target: String, isNew: Bool)] = []
  /// The lines of the journal. A class, because reporting does not change the system.
  let journal = Journal()

  final class Journal { var lines: [String] = [] }

  /// Returned by every operation after the power failed.
  static let powerCut = FileFault.other(reason: "power cut")

  func names(in directory: String) -> [String] { disk.names(in: directory) }
  func read(_ path: String, limit: Int) throws(FileFault) -> [UInt8] { try disk.read(path, limit: limit) }

  mutating func perform(_ step: FileStep) throws(FileFault) {
    if let left = stepsUntilCut {
      guard left > 0 else {
        if left == 0, Self.isData(step) { disk.begin(step) }
        stepsUntilCut = -1
        throw Self.powerCut
      }
      stepsUntilCut = left - 1
    }
    try disk.perform(step)
  }

  /// True for a step that can be interrupted halfway. Flushes are complete or did not happen.
  private static func isData(_ step: FileStep) -> Bool {
    switch step {
    case .write, .erase, .rename, .remove: true
    case .makeDirectory, .sync, .syncDirectory: false
    }
  }

  func digest(_ bytes: [UInt8]) -> String { "\(bytes.reduce(UInt64(5381)) { $0 &* 33 ^ UInt64($1) })" }

  func check(_ file: SourceText, for target: String) throws(InvalidConfiguration) -> [String] {
    do {
      _ = try Configuration.read(
        board: nil, file: file, overrides: [], fallbacks: Fallbacks(deviceID: "host", apiSocket: "/x"))
      return []
    } catch {
      throw InvalidConfiguration(error.errors.map(\.description))
    }
  }

  mutating func apply(_ url: SetupURL, to target: String, isNew: Bool) throws(InvalidConfiguration)
    -> [String]
  {
    setUps.append((url, target, isNew))
    return []
  }

  mutating func download(_ address: Endpoint, limit: Int) -> Download { answer }

  mutating func setUpBoard(_ name: String) -> BoardOutcome {
    if stepsUntilCut.map({ $0 > 0 }) ?? true { boards.append(name) }
    return board
  }

  func report(_ line: String) { journal.lines.append(line) }
}

/// Runs the set-up on a system and returns the outcome.
func provision(_ system: inout TestSystem) -> Provisioner<TestSystem>.Outcome {
  var provisioner = Provisioner(system)
  let outcome = provisioner.run()
  system = provisioner.system
  return outcome
}
