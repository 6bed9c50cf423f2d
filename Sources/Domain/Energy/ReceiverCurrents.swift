/// The currents of a receiver by state, in mA at its own supply.
public struct ReceiverCurrents: Equatable, Sendable {
  /// The current during acquisition, the highest of all.
  public var searching: Double
  /// The current with one fix per second; also used while settling.
  public var tracking: Double
  /// The current with one fix per second in cyclic tracking; nil if the module does not support it.
  public var cyclic: Double?
  public var backup: Double
  /// The current without main supply, including the backup supply; nil if the main supply cannot be switched.
  public var off: Double?
  /// The voltage of the rail in V.
  public var volts: Double

  public init(searching: Double, tracking: Double, cyclic: Double?, backup: Double, volts: Double) {
    self.searching = searching
    self.tracking = tracking
    self.cyclic = cyclic
    self.backup = backup
    self.volts = volts
  }

  /// u-blox NEO-M8N with GPS and GLONASS: NEO-M8 Data Sheet, UBX-15031086.
  public static let neoM8N = ReceiverCurrents(
    searching: 31, tracking: 28, cyclic: 10, backup: 0.015, volts: 3)

  /// The current in a state in mA. Without cyclic tracking it is the tracking current, without ``off`` it is 0 when
  /// unpowered.
  public subscript(state: ReceiverState) -> Double {
    switch state {
    case .off: off ?? 0
    case .backup: backup
    case .searching: searching
    case .settling, .tracking: tracking
    case .cyclic: cyclic ?? tracking
    }
  }
}
