/// Lights of the box.
public struct LEDSettings: Equatable, Sendable {
  /// Shows how the logger fares; nil: none.
  public var status: Light? = Schema.statusLED.fallback

  /// How a light is reached.
  public enum Light: Equatable, Sendable {
    /// By its name in `/sys/class/leds`.
    case named(String)
    case line(LineSettings)
  }

  public init() {}
}
