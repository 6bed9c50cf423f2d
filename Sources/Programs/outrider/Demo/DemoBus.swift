import Chips
import Devices
import EventLoop
import Quantities
import Simulation

/// The I²C bus of the demo, with a virtual accelerometer in a car and the fuel gauge of a battery cell.
///
/// The virtual parts receive the present time with each transfer.
final class DemoBus: I2CBus {
  static let path = "/dev/i2c-demo"
  /// A LIS3DH and a MAX17048 at their usual addresses.
  static let overrides = [
    "accelerometer={ chip: \"lis3dh\", bus: \"\(path)\" }",
    "gauge={ chip: \"max17048\", bus: \"\(path)\", capacity_mAh: 2000 }", "supply=battery",
  ]

  private static let lead = Duration.seconds(60)

  private let bus: VirtualBus
  private let loop: EventLoop

  /// A bus at the start of a schedule, with a battery of this charge in percent.
  init(loop: EventLoop, schedule: DemoSchedule, percent: Double) {
    self.loop = loop
    // The battery was connected earlier, so that the gauge has a reading.
    let connected = loop.now + (.zero - Self.lead)
    bus = VirtualBus(now: connected)
    var cell = CellTrack(percent: percent, rate: -6.6)
    cell.start = connected
    if let address = MAX17048.addresses.first {
      bus.attach(VirtualMAX17048(track: cell), at: address)
      bus.now = loop.now
      // STATUS without the reset indicator (MAX17048 data sheet, STATUS register).
      _ = try? bus.transfer(to: address, write: [0x1A, 0, 0], readCount: 0)
    }
    if let address = LIS3DH.addresses.first {
      bus.attach(VirtualLIS3DH(track: schedule.acceleration(from: loop.now)), at: address)
    }
  }

  func open(_ path: String, for address: I2CAddress) throws(I2CError) -> any I2CBus {
    path == Self.path ? self : try LinuxI2CBus.opening(path, for: address)
  }

  var longestRead: Int { bus.longestRead }

  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    bus.now = loop.now
    return try bus.transfer(to: address, write: write, readCount: readCount)
  }
}
