import Energy
import Quantities
import Settings

extension BoardCurrents {
  /// The currents of board file and configuration, at the supply of the device: its battery, else the rail of the host.
  public init(_ configuration: Configuration) {
    let figures = configuration.energy.currents
    switch configuration.supply {
    case .battery: self.init(supply: .battery(cells: configuration.gauge?.cells ?? 1))
    case .mains, .vehicle: self.init(supply: SupplyRail(volts: figures[.hostIdle]?.volts ?? 5))
    }
    radioTail = configuration.energy.modemTail
    for share in EnergyShare.all {
      guard let figure = share.consumers(at: configuration.host.sleep).lazy.compactMap({ figures[$0] }).first
      else { continue }
      set(share, milliamperes: figure.milliamperes, volts: figure.volts)
    }
    if configuration.receiver.hasBackupSupply, figures[.receiverOff] == nil,
      let backup = figures[.receiverSleeping]
    {
      set(.receiver(.off), milliamperes: backup.milliamperes, volts: backup.volts)
    }
  }
}

extension EnergyShare {
  /// The consumers whose figure applies, best match first; empty if no single figure does. `depth` is the sleep mode of
  /// the host.
  package func consumers(at depth: HostDepth?) -> [Consumer] {
    switch self {
    case .receiver(let state):
      switch state {
      case .off: [.receiverOff]
      case .backup: [.receiverSleeping]
      case .searching: [.receiverAcquiring]
      case .settling, .tracking: [.receiverTracking]
      case .cyclic: [.receiverCyclic, .receiverTracking]
      }
    case .accelerometer: [.accelerometer]
    case .gauge: [.gauge]
    case .hostBase: [.hostIdle]
    case .processor: [.hostCore]
    case .storage: [.storageWriting]
    case .hostDown: [depth == .suspend ? .hostSuspended : .hostHalted]
    case .hostCycle: []
    case .radioWaiting: [.modemSleeping, .modemIdle]
    case .radioSending: [.modemSending]
    case .radioTail: [.modemTail]
    case .overhead: [.overhead]
    }
  }
}

extension ReceiverCurrents {
  /// The currents of the receiver; nil if the board file lacks one of acquiring, tracking and sleeping.
  public init?(_ energy: EnergySettings) {
    guard let searching = energy.currents[.receiverAcquiring],
      let tracking = energy.currents[.receiverTracking],
      let backup = energy.currents[.receiverSleeping]
    else { return nil }
    self.init(
      searching: searching.milliamperes, tracking: tracking.milliamperes,
      cyclic: energy.currents[.receiverCyclic]?.milliamperes, backup: backup.milliamperes,
      volts: tracking.volts)
  }
}
