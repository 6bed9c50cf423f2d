import Glibc
import System

/// The reason why a power supply of the kernel gives no reading. `path` is that of its uevent file.
public enum PowerSupplyFailure: Error, Equatable, Sendable {
  case file(FileFailure)
  /// The file is empty, by which the kernel shows that its driver failed (`uevent_show` in
  /// drivers/base/core.c).
  case noAnswer(path: String)
  /// The file has other content; `beginning` is its start, with dots for unprintable bytes.
  case noUevent(path: String, beginning: String)
  /// `POWER_SUPPLY_TYPE` is not `Battery`.
  case noBattery(path: String, type: String)
  /// `POWER_SUPPLY_SCOPE` is `Device`.
  case ofPeripheral(path: String)
  /// `POWER_SUPPLY_PRESENT` is 0.
  case absent(path: String)
}

extension PowerSupplyFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .file(let failure) where failure.number == ENOENT:
      "\(failure); load the gauge's driver or correct gauge.power_supply (names: ls /sys/class/power_supply)"
    case .file(let failure): "\(failure)"
    case .noAnswer(let path): "\(path) is empty: the kernel driver gets no response from the gauge; see dmesg"
    case .noUevent(let path, let beginning):
      "\(path) has no POWER_SUPPLY_NAME; it begins with \"\(beginning)\""
    case .noBattery(let path, let type):
      "\(path): type is \(type), not Battery; set gauge.power_supply to a battery"
    case .ofPeripheral(let path):
      "\(path): battery of a peripheral; set gauge.power_supply to the battery of this host"
    case .absent(let path): "\(path): no battery inserted (POWER_SUPPLY_PRESENT=0)"
    }
  }
}
