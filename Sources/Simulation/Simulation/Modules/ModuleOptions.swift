import Quantities

/// Properties of a simulated module; the defaults are a new module on a board with a backup cell.
public struct ModuleOptions: Sendable {
  /// Universal time at ``Moment/zero``.
  public var utc = Timestamp(milliseconds: 1_774_087_200_000)
  public var route = CityRoute.berlin
  /// A recorded journey that replaces the route.
  public var path: RecordedPath?
  /// Seed of noise, garbage and lost answers.
  public var seed: UInt64 = 1
  /// Baud rate at the first start in bit/s, as if saved by an earlier owner; nil for the factory setting.
  public var savedSpeed: UInt32?
  /// True if its battery-backed memory has a separate supply.
  public var hasBackupSupply = true
  /// True if it has flash for settings (u-blox 8 to 10; for the others the data sheet applies).
  public var hasFlash = false
  /// True if its RAM, and with it unsaved settings, survives backup mode; nil for the data sheet's behaviour.
  public var keepsMemoryAsleep: Bool?
  /// PROTVER of a u-blox, if it differs from the usual one of its generation.
  public var protocolVersion: String?
  /// True if a u-blox 8 or 10 stores epochs for the host; nil for its firmware's behaviour (10).
  public var keepsEpochs: Bool?
  /// Kind of the first start.
  public var firstStart = ModuleStartKind.cold
  public var starts = ModuleStartTimes()
  /// True if the satellites move over the sky and have no signal without reception; false for constant ones.
  public var satellitesMove = false
  /// Time from an epoch to the first byte of its first message.
  public var solutionDelay = Duration.milliseconds(60)
  public var faults = ModuleFaults()

  public init() {}
}

/// The data that a receiver has when it starts.
public enum ModuleStartKind: UInt8, Sendable, CaseIterable {
  /// Time, position and ephemeris.
  case hot
  /// Time and position; ephemerides must be received.
  case warm
  /// No data.
  case cold
}

/// Time from a start to the first fix with unobstructed reception.
public struct ModuleStartTimes: Sendable, Equatable {
  public var hot = Duration.milliseconds(1500)
  public var warm = Duration.seconds(28)
  public var cold = Duration.seconds(32)
  /// Age up to which an ephemeris permits a hot start.
  public var ephemerisLife = Duration.seconds(7200)
  /// Operating time after which a receiver has received new ephemerides.
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
