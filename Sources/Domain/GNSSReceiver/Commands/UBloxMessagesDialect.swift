import GNSSProtocol
import Quantities

/// u-blox generations 5 to 8: one CFG message for each subject, all acknowledged.
///
/// Settings are saved in battery-backed memory at the end of the configuration, so they survive RXM-PMREQ;
/// flash is not changed. Source: u-blox 8 / u-blox M8 Receiver Description UBX-13003221, u-blox 6
/// GPS.G6-SW-10018.
public struct UBloxMessagesDialect: Dialect {
  /// Protocol version (PROTVER) times 100; 0 for generations 5 and 6, which do not report it.
  let version: Int

  public init(identity: ReceiverIdentity) { version = max(identity.protocolVersion ?? 0, 0) }

  public func setUp(_ desiredSetUp: SetUp) -> [ReceiverCommand] {
    // GSV fills a line at 9600 bit/s; it is switched off first, so that the other replies get through.
    var commands = [CFG.message(.gsv, every: 0), CFG.rate(interval(desiredSetUp))]
    for message in solution { commands.append(CFG.message(message, every: 1)) }
    commands.append(
      CFG.message(satellites, every: UInt8(clamping: max(desiredSetUp.satellitesEvery ?? 0, 0))))
    for sentence in [CFG.Message.gga, .gll, .gsa, .rmc, .vtg] {
      commands.append(CFG.message(sentence, every: 0))
    }
    commands.append(CFG.navigation(UBX.model(desiredSetUp.dynamics)))
    commands.append(contentsOf: power(desiredSetUp.power))
    return commands + keep()
  }

  /// The messages of a complete solution: NAV-PVT from protocol 14 on, else five messages with one iTOW.
  private var solution: [CFG.Message] {
    version >= 1400 ? [.pvt] : [.posllh, .sol, .velned, .timeutc, .dop]
  }

  private var satellites: CFG.Message { version >= 1500 ? .sat : .svinfo }

  /// The measurement interval: generations 5 and 6 compute five solutions per second at most, 7 and 8 ten.
  private func interval(_ desiredSetUp: SetUp) -> UInt16 {
    switch desiredSetUp.power {
    case .continuous: UInt16(clamping: max(desiredSetUp.interval, version >= 1400 ? 100 : 200))
    case .cyclic: 1000
    }
  }

  /// The commands for the power mode. Unless it is saved afterwards, it is lost at the next sleep.
  public func power(_ power: SetUp.Power) -> [ReceiverCommand] {
    switch power {
    case .continuous: version >= 1800 ? [CFG.powerSetUp(.full)] : [CFG.receiver(saving: false)]
    case .cyclic(let seconds) where seconds <= 1 && version >= 1800: [CFG.powerSetUp(.aggressive1Hz)]
    case .cyclic(let seconds): [CFG.cyclicTracking(seconds: seconds), CFG.receiver(saving: true)]
    }
  }

  /// Batching, only in protocol version 23.01.
  public func batching(_ desiredSetUp: SetUp) -> BatchSequence? {
    guard version == 2301 else { return nil }
    func periodic(_ isOn: Bool) -> [ReceiverCommand] {
      var commands = solution.map { CFG.message($0, every: isOn ? 1 : 0) }
      if let epochs = desiredSetUp.satellitesEvery, epochs > 0 {
        commands.append(CFG.message(satellites, every: isOn ? UInt8(clamping: epochs) : 0))
      }
      return commands
    }
    return BatchSequence(
      entries: UBX.batchEntries,
      begin: [CFG.batch(entries: 0), CFG.batch(entries: UInt16(UBX.batchEntries))] + periodic(false),
      retrieve: UBX.retrieveBatch, resume: periodic(true), end: [CFG.batch(entries: 0)])
  }

  public func speed(_ baud: UInt32) -> ReceiverCommand? {
    // NMEA stays on for TXT; the sentences are switched off one by one.
    UBX.speeds.contains(baud) ? CFG.port(baud: baud, output: [.ubx, .nmea]) : nil
  }

  public func keep() -> [ReceiverCommand] { [UBX.saveSettings] }

  public func sleep(for duration: Duration?) -> SleepSequence? {
    let bytes = UBXFrame.bytes(class: 0x02, id: 0x41) {
      $0.u4(UBX.sleepTime(duration))
      $0.u4(0x02)
    }
    let command = ReceiverCommand(name: "RXM-PMREQ", bytes: bytes, reply: .none(pause: UBX.pause))
    return SleepSequence(commands: [command], grace: .seconds(1), needsPin: false, losesSettings: false)
  }

  public func wake() -> WakeSequence { UBX.wake }

  public func restart(_ kind: StartKind) -> ReceiverCommand? { UBX.restart(kind) }

  public func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand? {
    version >= 1500
      ? UBX.aidTime(time, accuracy: accuracy) : UBX.aidTimeBeforeMGA(time, accuracy: accuracy)
  }

  public func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand? {
    version >= 1500
      ? UBX.aidPosition(position, altitude: altitude, accuracy: accuracy)
      : UBX.aidPositionBeforeMGA(position, altitude: altitude, accuracy: accuracy)
  }

  public func saveState() -> [ReceiverCommand] { version >= 1800 ? UBX.saveState : [] }

  public func clearSavedState() -> ReceiverCommand? { version >= 1800 ? UBX.clearSavedState : nil }

  public func resume() -> [ReceiverCommand] { version >= 1800 ? UBX.resume : [] }

  public func prepareAid() -> [ReceiverCommand] { version >= 1500 ? [CFG.acknowledgeAiding] : [] }

  public func health() -> [ReceiverCommand] {
    [UBX.poll("NAV-STATUS", class: 0x01, id: 0x03), UBX.poll("MON-HW", class: 0x0A, id: 0x09)]
  }

  public func askSatellites() -> [ReceiverCommand] {
    [UBX.poll(satellites.name, class: 0x01, id: UInt8(truncatingIfNeeded: satellites.rawValue))]
  }
}
