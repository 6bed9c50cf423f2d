import Quantities

/// Sleep, restarts, data saved for the next start, and aiding.
extension UbloxFirmware {
  /// Handles RXM-PMREQ, 8 or 16 bytes. There is no answer; the line stops in the middle of a byte.
  mutating func requestPower(_ payload: [UInt8], _ core: inout ModuleCore) {
    let isLong = payload.count == 16
    guard isLong ? generation.hasLongPowerRequest : payload.count == 8 && generation.hasShortPowerRequest
    else { return }
    let duration = payload.little(isLong ? 4 : 0, 4)
    guard payload.little(isLong ? 8 : 4, 4) & 2 != 0 else { return }
    let sources = isLong ? payload.little(12, 4) : 0x68
    core.follow(
      with: .sleep(
        .init(
          duration: duration == 0 ? nil : .milliseconds(Int64(duration)),
          wakesByReceive: sources & 0x08 != 0, wakesByPin: sources & 0x60 != 0,
          survivor: keepsMemoryAsleep ? .memory : .backup, finishesOutput: false)))
  }

  /// Handles CFG-RST, which selects the data to discard and the kind of start.
  mutating func reset(_ payload: [UInt8], _ core: inout ModuleCore) {
    guard payload.count == 4 else { return }
    let mask = payload.little(0, 2)
    let kind: ModuleStartKind = mask == 0 ? .hot : mask == 1 ? .warm : .cold
    switch payload[2] {
    case 0, 1, 4: core.follow(with: .restart(kind, .backup))
    case 2:
      core.stopNavigation()
      core.forget(for: kind)
      core.startNavigation()
    case 8:
      core.stopNavigation()
      core.forget(for: kind)
    case 9: if !core.navigation.isNavigating { core.startNavigation() }
    default: break
    }
  }

  /// Handles UPD-SOS. Command 0 saves the navigation data while navigation is stopped; 1 clears it; a poll returns the
  /// state.
  mutating func saveForShutdown(_ payload: [UInt8], _ core: inout ModuleCore) {
    guard generation.savesOnShutdown, hasFlash else { return }
    switch payload.first {
    case nil: reportShutdown(&core)
    case 0:
      let isDone = !core.navigation.isNavigating
      if isDone { shutdownMemory = core.navigation.memory }
      send(0x09, 0x14, [2, 0, 0, 0, isDone ? 1 : 0, 0, 0, 0], &core)
    case 1: shutdownMemory = nil
    default: break
    }
  }

  /// Restores the saved data at a start, without the time, and reports it.
  mutating func reportShutdown(_ core: inout ModuleCore) {
    guard generation.savesOnShutdown, hasFlash else { return }
    if let shutdownMemory { core.restore(shutdownMemory) }
    send(0x09, 0x14, [3, 0, 0, 0, shutdownMemory == nil ? 3 : 2, 0, 0, 0], &core)
  }

  /// Handles AID-INI of the generations before MGA, 48 bytes, which is never answered. The flags mark the valid fields.
  mutating func aidOfOld(_ payload: [UInt8], _ core: inout ModuleCore) {
    guard !generation.hasMultipleAiding, payload.count == 48, !core.faults.refusesAid else { return }
    let flags = payload.little(44, 4)
    var position: NavigationMemory.Position?
    if flags & 0x21 == 0x21 {
      let latitude = Double(Int32(truncatingIfNeeded: payload.little(0, 4))) * 1e-7
      let longitude = Double(Int32(truncatingIfNeeded: payload.little(4, 4))) * 1e-7
      guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return }
      position = .init(latitude: latitude, longitude: longitude)
    }
    core.aid(time: flags & 0x02 != 0, position: position)
  }

  /// Handles MGA: time, position, and ephemeris or predictions for a satellite.
  mutating func aid(_ id: UInt8, _ payload: [UInt8], _ core: inout ModuleCore) {
    guard generation.hasMultipleAiding, id != 0x60 else { return }
    var isTaken = !core.faults.refusesAid
    switch (id, payload.first, payload.count) {
    case _ where !isTaken: break
    case (0x40, 0x10, 24): core.aid(time: true)
    case (0x40, 0x01, 20):
      let latitude = Double(Int32(truncatingIfNeeded: payload.little(4, 4))) * 1e-7
      let longitude = Double(Int32(truncatingIfNeeded: payload.little(8, 4))) * 1e-7
      isTaken = latitude.magnitude <= 90 && longitude.magnitude <= 180
      if isTaken { core.aid(position: .init(latitude: latitude, longitude: longitude)) }
    case (0x20, 0x00, 76): core.aid(satellites: 1)
    case (0x00, 0x01, 68), (0x02, 0x01, 76), (0x03, 0x01, 88), (0x06, 0x01, 48):
      core.aid(satellites: 1)
    case (0x80, _, 1...): break
    default: isTaken = false
    }
    guard item(UbloxKey.acknowledgesAiding) == 1, isTaken || !core.faults.hidesRefusals else { return }
    let start = Array(payload.prefix(4)) + [UInt8](repeating: 0, count: 4 - min(4, payload.count))
    send(0x13, 0x60, [isTaken ? 1 : 0, 0, isTaken ? 0 : 3, id] + start, &core)
  }
}
