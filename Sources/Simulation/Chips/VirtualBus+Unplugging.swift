import Chips

extension VirtualBus {
  /// What the kernel answers for an adapter that is gone, by its driver.
  public enum Unplugging: Hashable, Sendable {
    /// ENODEV.
    case noDevice
    /// ENXIO, which is also what says that nobody answers.
    case noAddress

    /// As the bus of the kernel gives it on.
    func error(at address: I2CAddress) -> I2CError {
      switch self {
      // ENODEV (asm-generic/errno-base.h).
      case .noDevice: .system(address, errno: 19)
      case .noAddress: .noAcknowledge(address)
      }
    }
  }
}
