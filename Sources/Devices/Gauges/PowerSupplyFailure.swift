import Glibc
import SystemLoop

/// Why a power supply of the kernel tells nothing. `path` is that of its uevent file.
public enum PowerSupplyFailure: Error, Equatable, Sendable {
  case file(FileFailure)
  /// The file is empty, which is how the kernel shows that its driver failed (`uevent_show` in drivers/base/core.c).
  case noAnswer(path: String)
  /// The file holds something else; how it begins, with dots for what cannot be printed.
  case noUevent(path: String, beginning: String)
  /// `POWER_SUPPLY_TYPE` is another than `Battery`.
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
      "\(failure) (is the gauge's driver loaded? ls /sys/class/power_supply shows the names there are)"
    case .file(let failure): "\(failure)"
    case .noAnswer(let path): "\(path) is empty: the kernel's driver gets no answer of the gauge (see dmesg)"
    case .noUevent(let path, let beginning):
      "\(path) holds no POWER_SUPPLY_NAME, and begins with \"\(beginning)\""
    case .noBattery(let path, let type):
      "\(path): this is no battery but \(type); gauge.power_supply names a battery"
    case .ofPeripheral(let path):
      "\(path): this is the battery of a peripheral; gauge.power_supply names the one of this machine"
    case .absent(let path): "\(path): the battery is not in its place (POWER_SUPPLY_PRESENT=0)"
    }
  }
}
