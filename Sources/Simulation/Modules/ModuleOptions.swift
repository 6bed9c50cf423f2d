import Quantities

/// What a virtual module is built with; the defaults are a new module on a board with a backup cell.
public struct ModuleOptions: Sendable {
  /// Universal time at ``Moment/zero``.
  public var utc = Timestamp(milliseconds: 1_774_087_200_000)
  public var route = CityRoute.berlin
  /// Of noise, garbage and the answers that get lost.
  public var seed: UInt64 = 1
  /// bit/s at the first start, as if saved by an earlier owner; nil is the factory's.
  public var savedSpeed: UInt32?
  /// Whether its battery-backed memory has a supply of its own.
  public var hasBackupSupply = true
  /// Whether it has flash for settings (u-blox 8 to 10; the others have what their data sheet says).
  public var hasFlash = false
  /// Whether its RAM, and with it unsaved settings, survives a sleep in backup; nil is the data sheet's word.
  public var keepsMemoryAsleep: Bool?
  /// PROTVER of a u-blox, where it is not the usual one of its generation.
  public var protocolVersion: String?
  /// Whether a u-blox 8 or 10 keeps epochs for the host; nil is what its firmware does (10).
  public var keepsEpochs: Bool?
  /// Whether the first start is hot, warm or cold.
  public var firstStart = ModuleStartKind.cold
  public var starts = ModuleStartTimes()
  /// From the moment of an epoch to the first byte of its first message.
  public var solutionDelay = Duration.milliseconds(60)
  public var faults = ModuleFaults()

  public init() {}
}

/// What a receiver knows when it starts.
public enum ModuleStartKind: UInt8, Sendable, CaseIterable {
  /// Time, position and ephemeris.
  case hot
  /// Time and position; ephemeris must be read from the signal.
  case warm
  /// Nothing.
  case cold
}

/// From a start to the first fix under an open sky.
public struct ModuleStartTimes: Sendable, Equatable {
  public var hot = Duration.milliseconds(1500)
  public var warm = Duration.seconds(28)
  public var cold = Duration.seconds(32)
  /// For so long after it was read an ephemeris makes a start hot.
  public var ephemerisLife = Duration.seconds(7200)
  /// A receiver that has run for so long has read ephemeris anew.
  public var ephemerisReading = Duration.seconds(30)

  public init() {}

  func toFix(_ kind: ModuleStartKind) -> Duration {
    switch kind {
    case .hot: hot
    case .warm: warm
    case .cold: cold
    }
  }
}
