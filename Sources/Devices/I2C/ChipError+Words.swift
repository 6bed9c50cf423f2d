import Chips
import Glibc

extension ChipError {
  /// What people are told, with the remedy where there is one.
  public var words: String {
    switch self {
    case .bus(.noAcknowledge):
      "does not answer (is it wired and fed? outrider doctor i2c shows what is there)"
    case .bus(.system(_, ENOENT)): "there is no such bus (dtparam=i2c_arm=on and the module i2c-dev make it)"
    case .bus(.system(_, ENOTTY)), .bus(.system(_, EISDIR)): "the path names something else than an I²C bus"
    case .bus(.system(_, EACCES)): "the user may not use the bus (group i2c)"
    case .bus(let error): error.words
    case .wrongIdentity(_, let register, let expected, let got):
      "another part answers: register \(register) holds \(got), expected \(expected)\(Self.hint(got))"
    case .settingLost(_, let register, let expected, let got):
      "does not keep its settings: register \(register) holds \(got), written was \(expected)\(Self.hint(got))"
    case .wrongChecksum: "wrong checksums (a disturbed bus?)"
    case .cannot(_, let what): "cannot do \(what)"
    }
  }

  /// What a register holds where nothing drives the data line, or something holds it.
  private static func hint(_ got: UInt16) -> String {
    got == 0 ? " (is the data line held low?)" : ""
  }
}
