/// Commands with the UBX messages that all u-blox generations share.
enum UBX {
  /// Polls MON-VER (0A 04): versions of software, hardware and protocol.
  static var version: ReceiverCommand {
    ReceiverCommand(name: "MON-VER", bytes: UBXFrame.bytes(class: 0x0A, id: 0x04), reply: .version)
  }

  /// Polls a message that is sent instead of an acknowledgement.
  static func poll(_ name: String, class type: UInt8, id: UInt8) -> ReceiverCommand {
    ReceiverCommand(name: name, bytes: UBXFrame.bytes(class: type, id: id), reply: .none(pause: pause))
  }

  /// Time that a receiver needs to process a message without a reply.
  static let pause = Duration.milliseconds(100)

  /// The baud rates that the UARTs of all generations support.
  static let speeds: Set<UInt32> = [4800, 9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 921_600]

  /// The reset mode of CFG-RST.
  enum Reset: UInt8 {
    case gnssOnly = 2
    case stop = 8
    case start = 9
  }

  /// CFG-RST (06 04); never acknowledged. `dropped` selects the parts of the battery-backed memory to clear.
  static func reset(_ mode: Reset, dropped: UInt16 = 0, pause: Duration = pause) -> ReceiverCommand {
    let bytes = UBXFrame.bytes(class: 0x06, id: 0x04) {
      $0.u2(dropped)
      $0.u1(mode.rawValue)
      $0.u1(0)
    }
    return ReceiverCommand(name: "CFG-RST", bytes: bytes, reply: .none(pause: pause))
  }

  static func restart(_ kind: StartKind) -> ReceiverCommand {
    switch kind {
    case .hot: reset(.gnssOnly)
    case .warm: reset(.gnssOnly, dropped: 0x0001)
    case .cold: reset(.gnssOnly, dropped: 0xFFFF)
    }
  }

  /// CFG-CFG (06 09): saves all current settings in battery-backed memory, not in flash.
  static var saveSettings: ReceiverCommand {
    .acknowledged("CFG-CFG", class: 0x06, id: 0x09) {
      $0.u4(0)
      $0.u4(0xFFFF)
      $0.u4(0)
      $0.u1(1)
    }
  }

  /// The `duration` of RXM-PMREQ in milliseconds: 0 until woken, else 1 ms to 12 days.
  static func sleepTime(_ duration: Duration?) -> UInt32 {
    guard let duration else { return 0 }
    return UInt32(min(max(duration.wholeMilliseconds, 1), 12 * 86_400_000))
  }

  /// Saves the state with UPD-SOS (09 14) command 0, after the GNSS part was stopped so that the state is consistent.
  static var saveState: [ReceiverCommand] {
    let save = UBXFrame.bytes(class: 0x09, id: 0x14, payload: [0, 0, 0, 0])
    return [
      reset(.stop, pause: .milliseconds(500)),
      ReceiverCommand(name: "UPD-SOS", bytes: save, reply: .savedState(command: 2)),
    ]
  }

  /// Clears the saved state with UPD-SOS (09 14) command 1.
  static var clearSavedState: ReceiverCommand {
    let clear = UBXFrame.bytes(class: 0x09, id: 0x14, payload: [1, 0, 0, 0])
    return ReceiverCommand(name: "UPD-SOS", bytes: clear, reply: .none(pause: pause))
  }

  /// Resumes with CFG-RST mode 9, after the mode 8 of ``saveState``.
  static var resume: [ReceiverCommand] { [reset(.start)] }

  /// Wake bytes: one byte on RX wakes the receiver and is lost.
  static let wake = WakeSequence(bytes: [0xFF], pause: .milliseconds(500), commands: [])

  /// Value of dynModel in CFG-NAV5 and CFG-NAVSPG-DYNMODEL.
  static func model(_ dynamics: SetUp.Dynamics) -> UInt8 {
    switch dynamics {
    case .portable: 0
    case .stationary: 2
    case .pedestrian: 3
    case .automotive: 4
    case .sea: 5
    // Below 2 g: up to 250 m/s.
    case .airborne: 7
    }
  }
}
