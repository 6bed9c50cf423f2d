/// Not yet.
struct AirohaFirmware: ModuleFirmware {
  init(_ options: ModuleOptions) {}
  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore) {}
  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]] { [] }
}
