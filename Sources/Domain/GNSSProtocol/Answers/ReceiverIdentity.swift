/// Identity of a receiver as it reports itself.
public struct ReceiverIdentity: Equatable, Sendable {
  public var family: ReceiverFamily
  /// UBX protocol version times 100 (PROTVER 34.10 is 3410); nil before u-blox 7 and for other makers.
  public var protocolVersion: Int?
  /// Module name as reported ("MAX-M10S", "L76K"); at most 63 characters.
  public var module: String?
  /// Firmware version as reported ("SPG 5.10", "AXN_3.8_3333"); at most 63 characters.
  public var firmware: String?
  /// Hardware version ("00190000"); at most 63 characters.
  public var hardware: String?

  public init(
    family: ReceiverFamily, protocolVersion: Int? = nil, module: String? = nil, firmware: String? = nil,
    hardware: String? = nil
  ) {
    self.family = family
    self.protocolVersion = protocolVersion
    self.module = module
    self.firmware = firmware
    self.hardware = hardware
  }
}
