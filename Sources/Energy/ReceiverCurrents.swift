/// What a receiver draws in each state, in mA at its own supply.
public struct ReceiverCurrents: Equatable, Sendable {
  /// Looking for satellites, the state with the highest current.
  public var searching: Double
  /// A fix every second; settling counts as this.
  public var tracking: Double
  /// A fix every second in cyclic power save; nil where the module has none.
  public var cyclic: Double?
  public var backup: Double
  /// Without its main supply, a backup supply included; nil where nothing can cut that.
  public var off: Double?
  /// Volts of the rail.
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

  /// mA in a state. A module without cyclic mode tracks instead; without supply nothing flows unless ``off`` says so.
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
