import Chips
import System

/// Opens the bus at a path for the chip at an address.
public typealias BusOpening = (_ path: String, I2CAddress) throws(I2CError) -> any I2CBus

extension LinuxI2CBus {
  /// Opens a bus of the kernel.
  public static func opening(_ path: String, for address: I2CAddress) throws(I2CError) -> any I2CBus {
    do throws(SystemError) {
      return try LinuxI2CBus(path: path)
    } catch {
      throw .system(address, errno: error.number)
    }
  }
}
