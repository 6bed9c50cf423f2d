import Chips
import Glibc

extension ChipError {
  /// The text for messages, with the remedy if there is one.
  public var words: String {
    switch self {
    case .bus(.noAcknowledge):
      "does not answer; check wiring and supply, and list the chips with outrider doctor i2c"
    case .bus(.system(_, ENOENT)): "no such bus; set dtparam=i2c_arm=on and load the module i2c-dev"
    case .bus(.system(_, ENOTTY)), .bus(.system(_, EISDIR)): "the path is not an I²C bus"
    case .bus(.system(_, EACCES)): "no permission for the bus; add the user to the group i2c"
    case .bus(let error): error.words
    case .wrongIdentity(_, let register, let expected, let got):
      "another chip answers: register \(register) is \(got), expected \(expected)\(Self.hint(got))"
    case .settingLost(_, let register, let expected, let got):
      "settings not kept: register \(register) is \(got) after writing \(expected)\(Self.hint(got))"
    case .wrongChecksum: "checksum errors; check the bus for interference"
    case .cannot(_, let what): "not possible: \(what)"
    }
  }

  /// A hint for a register value that shows an undriven or stuck data line.
  private static func hint(_ got: UInt16) -> String {
    got == 0 ? " (data line stuck low?)" : ""
  }
}
