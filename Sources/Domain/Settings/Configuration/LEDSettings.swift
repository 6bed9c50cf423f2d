/// The lights of the device.
public struct LEDSettings: Equatable, Sendable {
  /// The light that shows that tracking is on; nil for none.
  public var status: Light? = Schema.statusLED.fallback

  /// The interface to a light.
  public enum Light: Equatable, Sendable {
    /// A light of the kernel, by its name in `/sys/class/leds`.
    case named(String)
    case line(LineSettings)
  }

  public init() {}
}
