/// The version and the devices that gpsd reports.
struct GPSDInventory {
  private static let mostDevices = 8

  /// Version of the gpsd that is or was connected; nil before the first connection.
  private(set) var release: String?
  private var devices: [GPSDDevice] = []

  /// The device at `path`; without details if gpsd has not described it.
  func device(at path: String) -> GPSDDevice {
    devices.first { $0.path == path } ?? GPSDDevice(path: path)
  }

  /// Processes a report. Returns the path of the device that gpsd has released; nil if it reports no such event.
  mutating func take(_ report: GPSDReport) -> String? {
    switch report {
    case .version(let release): self.release = release
    case .devices(let devices): self.devices = Array(devices.prefix(Self.mostDevices))
    // An unreadable path arrives empty and matches no receiver, just like an unnamed receiver.
    case .device(let device) where device.path.isEmpty: break
    case .device(let device):
      devices.removeAll { $0.path == device.path }
      devices = [device] + devices.prefix(Self.mostDevices - 1)
      if !device.isActive { return device.path }
    case .position, .satellites, .deviation, .watch, .ignored: break
    }
    return nil
  }
}
