/// A module that sends NMEA and accepts no commands.
struct PlainFirmware: ModuleFirmware {
  private let style = SentenceStyle(talker: "GP", clockDecimals: 3, minuteDecimals: 4)
  private let speed: UInt32

  init(_ options: ModuleOptions) { speed = options.savedSpeed ?? ModuleModel.plain.factorySpeed }

  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore) {
    core.set(speed: speed)
    core.set(interval: .seconds(1))
  }

  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]] {
    [SentenceKind.gga, .gsa, .rmc].flatMap { style.bodies($0, epoch) }.map(ModuleFrame.sentence)
  }
}
