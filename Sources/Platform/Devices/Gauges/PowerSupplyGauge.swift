import Chips
import System

/// A battery whose fuel gauge is driven by the kernel, read from `/sys/class/power_supply/NAME/uevent`.
///
/// The file is opened for each reading, so a supply that reappears under its name is found. Reading blocks
/// while the kernel's driver queries the gauge.
public struct PowerSupplyGauge: GaugeConnection {
  public let location: PartLocation
  private let path: String

  public static let directory = "/sys/class/power_supply"
  /// Bytes of an invalid text that a message shows.
  private static let evidence = 40

  /// Names the supply; `directory` is that of the kernel's supplies.
  public init(name: String, in directory: String = Self.directory) {
    location = PartLocation(name: name, path: directory)
    path = "\(directory)/\(name)/uevent"
  }

  public mutating func read() throws(PowerSupplyFailure) -> GaugeStep {
    let bytes: [UInt8]
    do throws(FileFailure) {
      bytes = try FileBytes.read(path, limit: PowerSupplyReading.longest)
    } catch {
      throw .file(error)
    }
    guard !bytes.isEmpty else { throw .noAnswer(path: path) }
    let supply = PowerSupplyReading(uevent: bytes)
    guard supply.name != nil else { throw .noUevent(path: path, beginning: Self.beginning(of: bytes)) }
    if supply.kind == .supply { throw .noBattery(path: path, type: supply.type ?? "") }
    if supply.isOfPeripheral { throw .ofPeripheral(path: path) }
    if supply.isAbsent { throw .absent(path: path) }
    return .reading(supply.reading)
  }

  public mutating func release() {}

  public static func words(of failure: PowerSupplyFailure) -> String { "\(failure)" }

  private static func beginning(of bytes: [UInt8]) -> String {
    String(
      decoding: bytes.prefix(evidence).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") },
      as: UTF8.self)
  }
}
