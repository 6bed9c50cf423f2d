/// A current with its voltage and the source of the numbers.
public struct CurrentFigure: Equatable, Sendable {
  public var milliamperes: Double = Field.current.fallback
  /// The voltage of the rail on which the current flows.
  public var volts: Double = Field.voltage.fallback
  public var source: String = Field.source.fallback

  init() {}

  public init(milliamperes: Double, volts: Double, source: String) {
    self.milliamperes = milliamperes
    self.volts = volts
    self.source = source
  }

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<CurrentFigure, Value>

    static let current = Of<Double>(
      "mA", \.milliamperes, .number(0...20_000, "mA"), default: 0, isRequired: true, applies: .atOnce,
      effect: .always,
      "Average current, in mA.")
    static let voltage = Of<Double>(
      "V", \.volts, .number(0.5...60, "V"), default: 0, isRequired: true, applies: .atOnce, effect: .always,
      "Voltage of the rail on which the current flows, in V.")
    static let source = Of<String>(
      "source", \.source, .name, default: "", isRequired: true, applies: .atOnce, effect: .always,
      "Source of the numbers.")

    static let table = SettingTable<CurrentFigure>([current, voltage, source])
  }
}
