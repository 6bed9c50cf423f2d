/// Class CFG: the messages of generations 5 to 9, and the keys of 9 and 10.
extension UbloxFirmware {
  mutating func configure(_ id: UInt8, _ payload: [UInt8], _ core: inout ModuleCore) {
    // CFG-RST is never acknowledged.
    if id == 0x04 { return reset(payload, &core) }
    let isKnown = generation.configuration.contains(id) || id == 0x93 && generation == .eight && store.isThere
    let isDone = isKnown && set(id, payload, &core)
    // A change of the baud rate is acknowledged at the new rate.
    apply(&core)
    if !isDone, core.faults.hidesRefusals { return }
    send(0x05, isDone ? 1 : 0, [0x06, id], &core)
  }

  private mutating func set(_ id: UInt8, _ payload: [UInt8], _ core: inout ModuleCore) -> Bool {
    switch id {
    case 0x00: port(payload, &core)
    case 0x01: messageRate(payload, &core)
    case 0x08: rate(payload, &core)
    case 0x09: save(payload)
    case 0x11: powerMode(payload, &core)
    case 0x23: navigationExpert(payload)
    case 0x24: navigation(payload, &core)
    case 0x3B: powerParameters(payload)
    case 0x86: powerSetup(payload)
    case 0x93: batch(payload)
    case 0x8A: setItems(payload)
    case 0x8B: getItems(payload, &core)
    case 0x8C: deleteItems(payload)
    // Accepted without effect: SBAS, TP5, GNSS.
    default: true
    }
  }

  private mutating func port(_ payload: [UInt8], _ core: inout ModuleCore) -> Bool {
    if payload.isEmpty || payload.count == 1 {
      guard payload.first ?? 1 == 1 else { return payload.first ?? 9 <= 4 }
      var answer: [UInt8] = [1, 0, 0, 0]
      answer.append(little: UInt32(0x08D0))
      answer.append(little: UInt32(truncatingIfNeeded: item(UbloxKey.baudRate)))
      answer.append(little: UInt16(item(UbloxKey.inUBX) | item(UbloxKey.inNMEA) << 1))
      answer.append(little: UInt16(item(UbloxKey.outUBX) | item(UbloxKey.outNMEA) << 1))
      send(0x06, 0x00, answer + [0, 0, 0, 0], &core)
      return true
    }
    guard payload.count == 20, payload[0] <= 4 else { return false }
    guard payload[0] == 1 else { return true }
    let mode = payload.little(4, 4)
    guard Self.speeds.contains(payload.little(8, 4)), mode & 0x00C0 == 0x00C0 else { return false }
    present[UbloxKey.baudRate] = payload.little(8, 4)
    setProtocols(input: payload.little(12, 2), output: payload.little(14, 2))
    return true
  }

  mutating func setProtocols(input: UInt64, output: UInt64) {
    present[UbloxKey.inUBX] = input & 1
    present[UbloxKey.inNMEA] = input >> 1 & 1
    present[UbloxKey.outUBX] = output & 1
    present[UbloxKey.outNMEA] = output >> 1 & 1
  }

  private mutating func messageRate(_ payload: [UInt8], _ core: inout ModuleCore) -> Bool {
    guard [2, 3, 8].contains(payload.count) else { return false }
    let key: UInt32?
    switch payload[0] {
    case 0xF0: key = UbloxKey.sentences.first { $0.id == payload[1] }?.key
    case 0x01:
      key =
        UbloxKey.messages.first { $0.message.rawValue == payload[1] && $0.message.exists(in: generation) }?
        .key
    default: key = nil
    }
    guard let key else { return payload[0] == 0xF0 || payload[0] == 0xF1 || payload[0] == 0x0A }
    if payload.count == 2 {
      send(0x06, 0x01, payload + [0, UInt8(truncatingIfNeeded: item(key)), 0, 0, 0, 0], &core)
    } else {
      present[key] = UInt64(payload[payload.count == 3 ? 2 : 3])
    }
    return true
  }

  private mutating func rate(_ payload: [UInt8], _ core: inout ModuleCore) -> Bool {
    if payload.isEmpty {
      var answer: [UInt8] = []
      for key in [UbloxKey.measurementRate, UbloxKey.navigationRate, UbloxKey.timeReference] {
        answer.append(little: UInt16(truncatingIfNeeded: item(key)))
      }
      send(0x06, 0x08, answer, &core)
      return true
    }
    guard payload.count == 6, payload.little(0, 2) >= 50, (1...127).contains(payload.little(2, 2)) else {
      return false
    }
    present[UbloxKey.measurementRate] = payload.little(0, 2)
    present[UbloxKey.navigationRate] = payload.little(2, 2)
    present[UbloxKey.timeReference] = payload.little(4, 2)
    return true
  }

  /// Handles CFG-CFG with its masks to clear, save and load. The sections of the masks are not distinguished.
  private mutating func save(_ payload: [UInt8]) -> Bool {
    guard payload.count == 12 || payload.count == 13 else { return false }
    let devices = payload.count == 13 ? payload[12] : 0x17
    if payload.little(0, 4) != 0 {
      if devices & 1 != 0 { backup = [:] }
      if devices & 0x16 != 0 { flash = [:] }
    }
    if payload.little(4, 4) != 0 {
      if devices & 1 != 0 { backup = present }
      if devices & 0x16 != 0, hasFlash { flash = present }
    }
    if payload.little(8, 4) != 0 { loadSaved() }
    return true
  }

  private mutating func navigation(_ payload: [UInt8], _ core: inout ModuleCore) -> Bool {
    if payload.isEmpty {
      var answer = [UInt8](repeating: 0, count: 36)
      answer[2] = UInt8(truncatingIfNeeded: item(UbloxKey.dynamicModel))
      answer[3] = UInt8(truncatingIfNeeded: item(UbloxKey.fixMode))
      send(0x06, 0x24, answer, &core)
      return true
    }
    guard payload.count == 36 else { return false }
    if payload[0] & 1 != 0 {
      guard Self.isModel(UInt64(payload[2])) else { return false }
      present[UbloxKey.dynamicModel] = UInt64(payload[2])
    }
    if payload[0] & 4 != 0 {
      guard (1...3).contains(payload[3]) else { return false }
      present[UbloxKey.fixMode] = UInt64(payload[3])
    }
    return true
  }

  private static func isModel(_ value: UInt64) -> Bool { value <= 12 && value != 1 }

  private mutating func navigationExpert(_ payload: [UInt8]) -> Bool {
    guard payload.isEmpty || payload.count == 40 else { return false }
    if payload.count == 40, payload.little(2, 2) & 0x0400 != 0 {
      present[UbloxKey.acknowledgesAiding] = UInt64(payload[17] & 1)
    }
    return true
  }

  // MARK: Power save

  private mutating func powerMode(_ payload: [UInt8], _ core: inout ModuleCore) -> Bool {
    if payload.isEmpty {
      send(0x06, 0x11, [0x08, item(UbloxKey.operateMode) == 0 ? 0 : 1], &core)
      return true
    }
    guard payload.count == 2, [0, 1, 4].contains(payload[1]) else { return false }
    present[UbloxKey.operateMode] = payload[1] == 1 ? powerSaveMode : 0
    return true
  }

  private mutating func powerParameters(_ payload: [UInt8]) -> Bool {
    guard payload.isEmpty || payload.count == 44 || payload.count == 48 else { return false }
    guard !payload.isEmpty else { return true }
    powerSaveMode = payload.little(4, 4) >> 17 & 3 == 1 ? 2 : 1
    present[UbloxKey.updatePeriod] = payload.little(8, 4) / 1000
    present[UbloxKey.onTime] = payload.little(20, 2)
    return true
  }

  private mutating func powerSetup(_ payload: [UInt8]) -> Bool {
    guard payload.isEmpty || payload.count == 8 else { return false }
    guard !payload.isEmpty else { return true }
    guard payload[1] <= 5 else { return false }
    guard payload[1] == 2 || payload.little(2, 4) == 0 else { return false }
    present[UbloxKey.operateMode] = [0, 0, 1, 2, 2, 2][Int(payload[1])]
    present[UbloxKey.updatePeriod] = payload.little(2, 2)
    present[UbloxKey.onTime] = payload.little(4, 2)
    return true
  }

  /// Handles CFG-BATCH: bit 0 on, bit 2 extra PVT, bit 3 extra odometer.
  private mutating func batch(_ payload: [UInt8]) -> Bool {
    guard payload.count == 8, payload[0] == 0 else { return false }
    let entries = payload.little(2, 2)
    let flags = UInt64(payload[1])
    guard UbloxEpochStore.fits(entries, hasPVT: flags & 4 != 0, hasOdometer: flags & 8 != 0) else {
      return false
    }
    present[UbloxKey.batchEnable] = flags & 1
    present[UbloxKey.batchExtraPVT] = flags >> 2 & 1
    present[UbloxKey.batchExtraOdometer] = flags >> 3 & 1
    present[UbloxKey.batchEntries] = entries
    return true
  }

  // MARK: Items by key

  /// Sets items atomically: one invalid key or value leaves everything unchanged.
  private mutating func setItems(_ payload: [UInt8]) -> Bool {
    guard payload.count >= 4, payload[0] <= 1, payload[1] & 7 != 0, payload[1] & ~7 == 0 else { return false }
    guard payload[1] & 4 == 0 || hasFlash else { return false }
    var pairs: [UInt32: UInt64] = [:]
    var count = 0
    var at = 4
    while at < payload.count {
      let key = UInt32(truncatingIfNeeded: payload.little(at, 4))
      guard let size = UbloxKey.size(key), at + 4 + size <= payload.count else { return false }
      let value = payload.little(at + 4, size)
      guard UbloxKey.isPublic(key), factory[key] != nil, Self.allows(value, key) else { return false }
      pairs[key] = value
      count += 1
      at += 4 + size
    }
    guard count <= 64 else { return false }
    let merged = present.merging(pairs) { $1 }
    guard
      UbloxEpochStore.fits(
        merged[UbloxKey.batchEntries] ?? 0, hasPVT: merged[UbloxKey.batchExtraPVT] == 1,
        hasOdometer: merged[UbloxKey.batchExtraOdometer] == 1)
    else { return false }
    if payload[1] & 1 != 0 { present.merge(pairs) { $1 } }
    if payload[1] & 2 != 0 { backup.merge(pairs) { $1 } }
    if payload[1] & 4 != 0 { flash.merge(pairs) { $1 } }
    return true
  }

  private static func allows(_ value: UInt64, _ key: UInt32) -> Bool {
    switch key {
    case UbloxKey.baudRate: speeds.contains(value)
    case UbloxKey.measurementRate: value >= 25
    case UbloxKey.navigationRate: (1...127).contains(value)
    case UbloxKey.dynamicModel: isModel(value)
    case UbloxKey.fixMode: (1...3).contains(value)
    case UbloxKey.operateMode: value <= 2
    default: key >> 28 != 1 || value <= 1
    }
  }

  private func layer(_ number: UInt8) -> [UInt32: UInt64]? {
    switch number {
    case 0: present
    case 1: backup
    case 2: hasFlash ? flash : nil
    case 7: factory
    default: nil
    }
  }

  private func getItems(_ payload: [UInt8], _ core: inout ModuleCore) -> Bool {
    guard payload.count >= 8, payload.count % 4 == 0, payload.count <= 4 + 64 * 4, payload[0] == 0,
      let items = layer(payload[1])
    else { return false }
    var answer: [UInt8] = [1] + payload[1...3]
    for at in stride(from: 4, to: payload.count, by: 4) {
      let key = UInt32(truncatingIfNeeded: payload.little(at, 4))
      guard UbloxKey.isPublic(key), let value = items[key], let size = UbloxKey.size(key) else {
        return false
      }
      answer.append(little: key)
      for index in 0..<size { answer.append(UInt8(truncatingIfNeeded: value >> UInt64(index * 8))) }
    }
    send(0x06, 0x8B, answer, &core)
    return true
  }

  private mutating func deleteItems(_ payload: [UInt8]) -> Bool {
    guard payload.count >= 8, payload.count % 4 == 0, payload[1] & 6 != 0, payload[1] & ~6 == 0 else {
      return false
    }
    let keys = stride(from: 4, to: payload.count, by: 4).map {
      UInt32(truncatingIfNeeded: payload.little($0, 4))
    }
    guard keys.allSatisfy({ factory[$0] != nil }) else { return false }
    for key in keys {
      if payload[1] & 2 != 0 { backup[key] = nil }
      if payload[1] & 4 != 0 { flash[key] = nil }
    }
    return true
  }
}
