import GNSSProtocol
import Quantities

/// u-blox generations 9, 10 and later: keys and values in CFG-VALSET.
///
/// Settings go to RAM and to the battery-backed layer, because software standby clears RAM; flash is not
/// changed. Source: u-blox F9 UBX-18010854, M9 UBX-19035940, M10 UBX-21035062 Interface Descriptions.
public struct UBloxKeysDialect: Dialect {
  /// Protocol version (PROTVER) times 100.
  let version: Int

  public init(identity: ReceiverIdentity) { version = max(identity.protocolVersion ?? 2700, 0) }

  /// True if the receiver may have USB. M10 has none; its firmware rejects keys of a missing port.
  private var hasUSB: Bool { !(3400..<5000).contains(version) }
  /// True for M9 and M10, which have power save mode; F9 and X20 have none.
  private var savesPower: Bool { (3200..<5000).contains(version) }
  /// True if the state can be saved at shutdown, which requires the flash memory of generation 9.
  private var savesState: Bool { version < 3400 }

  public func setUp(_ desiredSetUp: SetUp) -> [ReceiverCommand] {
    let satellites = satellites(desiredSetUp)
    // One unknown key rejects the whole message: keys besides the solution are sent separately.
    var commands = [
      set([
        (ConfigurationKey.uart1OutUBX, 1), (ConfigurationKey.pvtUART1, 1),
        (ConfigurationKey.uart1OutNMEA, 0),
      ]),
      set([(ConfigurationKey.eoeUART1, 1), (ConfigurationKey.satUART1, satellites)]),
    ]
    if hasUSB {
      let pairs: [(key: UInt32, value: UInt64)] = [
        (ConfigurationKey.usbOutUBX, 1), (ConfigurationKey.pvtUSB, 1), (ConfigurationKey.eoeUSB, 1),
        (ConfigurationKey.satUSB, satellites), (ConfigurationKey.usbOutNMEA, 0),
      ]
      // A rejection only means that the port does not exist.
      commands.append(
        ReceiverCommand(
          name: "CFG-VALSET", bytes: ValSet.bytes(pairs, layers: Self.kept), reply: .none(pause: UBX.pause)))
    }
    commands.append(
      set([
        (ConfigurationKey.rateMeas, interval(desiredSetUp)), (ConfigurationKey.rateNav, 1),
        (ConfigurationKey.dynModel, UInt64(UBX.model(desiredSetUp.dynamics))),
      ]))
    if savesPower { commands.append(power(desiredSetUp.power, in: Self.kept)) }
    return commands
  }

  /// The measurement interval; M10 allows 25 measurements per second.
  private func interval(_ desiredSetUp: SetUp) -> UInt64 {
    switch desiredSetUp.power {
    case .continuous: UInt64(min(max(desiredSetUp.interval, 40), 10_000))
    case .cyclic: 1000
    }
  }

  public func power(_ power: SetUp.Power) -> [ReceiverCommand] {
    savesPower ? [self.power(power, in: .ram)] : []
  }

  /// Configures the power mode. The operating mode comes last: after it, the receiver may switch off before it has read
  /// the rest.
  private func power(_ power: SetUp.Power, in layers: ValSet.Layers) -> ReceiverCommand {
    switch power {
    case .continuous: set([(ConfigurationKey.operateMode, 0)], in: layers)
    case .cyclic(let seconds):
      set(
        [
          (ConfigurationKey.posUpdatePeriod, UInt64(min(max(seconds, 1), 10))),
          (ConfigurationKey.acqPeriod, 10), (ConfigurationKey.doNotEnterOff, 1),
          (ConfigurationKey.updateEPH, 1), (ConfigurationKey.operateMode, 2),
        ], in: layers)
    }
  }

  /// Batching, for M9 and M10. Periodic output is switched off only on UART1; the dialogue uses batching only
  /// there.
  public func batching(_ desiredSetUp: SetUp) -> BatchSequence? {
    guard (3200..<5000).contains(version) else { return nil }
    let satellites = satellites(desiredSetUp)
    let off = set([(ConfigurationKey.batchEnable, 0)], in: .ram)
    let on = set(
      [
        (ConfigurationKey.batchEnable, 1), (ConfigurationKey.batchEntries, UInt64(UBX.batchEntries)),
        (ConfigurationKey.batchExtraPVT, 1), (ConfigurationKey.batchExtraOdometer, 0),
        (ConfigurationKey.batchPIO, 0),
      ], in: .ram)
    func periodic(_ isOn: Bool) -> [ReceiverCommand] {
      [
        set([(ConfigurationKey.pvtUART1, isOn ? 1 : 0)], in: .ram),
        set(
          [(ConfigurationKey.eoeUART1, isOn ? 1 : 0), (ConfigurationKey.satUART1, isOn ? satellites : 0)],
          in: .ram),
      ]
    }
    return BatchSequence(
      entries: UBX.batchEntries, begin: [off, on] + periodic(false), retrieve: UBX.retrieveBatch,
      resume: periodic(true), end: [off])
  }

  private func satellites(_ desiredSetUp: SetUp) -> UInt64 {
    UInt64(min(max(desiredSetUp.satellitesEvery ?? 0, 0), 255))
  }

  /// Sets the baud rate in RAM only, so that one that the line does not support is lost with the next power cut.
  public func speed(_ baud: UInt32) -> ReceiverCommand? {
    guard UBX.speeds.contains(baud) else { return nil }
    let bytes = ValSet.bytes([(ConfigurationKey.uart1Baudrate, UInt64(baud))], layers: .ram)
    return ReceiverCommand(name: "CFG-VALSET", bytes: bytes, reply: .none(pause: UBX.pause))
  }

  public func keep() -> [ReceiverCommand] { [UBX.saveSettings] }

  /// Puts the receiver to sleep until an edge on RX or EXTINT0. The flag `force` is set, because otherwise a USB cable
  /// keeps it awake.
  public func sleep(for duration: Duration?) -> SleepSequence? {
    let backup: UInt32 = 1 << 1
    let force: UInt32 = 1 << 2
    let uartRX: UInt32 = 1 << 3
    let externalInterrupt0: UInt32 = 1 << 5
    let bytes = UBXFrame.bytes(class: 0x02, id: 0x41) {
      $0.zeros(4)
      $0.u4(UBX.sleepTime(duration))
      $0.u4(backup | force)
      $0.u4(uartRX | externalInterrupt0)
    }
    let command = ReceiverCommand(name: "RXM-PMREQ", bytes: bytes, reply: .none(pause: UBX.pause))
    return SleepSequence(commands: [command], grace: .seconds(1), needsPin: false, losesSettings: false)
  }

  public func wake() -> WakeSequence { UBX.wake }

  public func restart(_ kind: StartKind) -> ReceiverCommand? { UBX.restart(kind) }

  public func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand? {
    UBX.aidTime(time, accuracy: accuracy)
  }

  public func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand? {
    UBX.aidPosition(position, altitude: altitude, accuracy: accuracy)
  }

  public func saveState() -> [ReceiverCommand] { savesState ? UBX.saveState : [] }

  public func clearSavedState() -> ReceiverCommand? { savesState ? UBX.clearSavedState : nil }

  public func resume() -> [ReceiverCommand] { savesState ? UBX.resume : [] }

  /// Enables acknowledgements separately from the configuration, which firmware without this key would reject.
  public func prepareAid() -> [ReceiverCommand] {
    let bytes = ValSet.bytes([(ConfigurationKey.ackAiding, 1)], layers: .ram)
    return [ReceiverCommand(name: "CFG-VALSET", bytes: bytes, reply: .acknowledge(class: 0x06, id: 0x8A))]
  }

  public func health() -> [ReceiverCommand] {
    [UBX.poll("NAV-STATUS", class: 0x01, id: 0x03), UBX.poll("MON-RF", class: 0x0A, id: 0x38)]
  }

  public func askSatellites() -> [ReceiverCommand] { [UBX.poll("NAV-SAT", class: 0x01, id: 0x35)] }

  private static let kept: ValSet.Layers = [.ram, .batteryBacked]

  private func set(
    _ pairs: [(key: UInt32, value: UInt64)], in layers: ValSet.Layers = Self.kept
  ) -> ReceiverCommand {
    ReceiverCommand(
      name: "CFG-VALSET", bytes: ValSet.bytes(pairs, layers: layers),
      reply: .acknowledge(class: 0x06, id: 0x8A))
  }
}
