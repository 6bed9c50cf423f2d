import Quantities

/// The mode letter of RMC, GLL, VTG and GNS (NMEA 2.3 and later).
enum ModeIndicator {
  case solution(FixKind)
  /// E: dead reckoning. A status in the sentence decides if it may be used.
  case estimated
  /// N not valid, M manual input, S simulator.
  case unusable

  /// Translates a letter; nil for an empty field or a letter outside the standard.
  init?(_ letter: UInt8?) {
    switch letter {
    case UInt8(ascii: "A"), UInt8(ascii: "P"): self = .solution(.threeDimensional)
    case UInt8(ascii: "D"): self = .solution(.differential)
    case UInt8(ascii: "F"): self = .solution(.realTimeKinematicFloat)
    case UInt8(ascii: "R"): self = .solution(.realTimeKinematicFixed)
    case UInt8(ascii: "E"): self = .estimated
    case UInt8(ascii: "N"), UInt8(ascii: "M"), UInt8(ascii: "S"): self = .unusable
    case _: return nil
    }
  }
}

/// The status of a sentence: validity and kind of its position.
struct FixStatus {
  var validity: Validity
  /// The kind of fix; nil if the sentence does not distinguish the kinds.
  var kind: FixKind?

  /// Combines a status letter (A, V) with a mode, as in RMC and GLL. Only A is valid, and not with mode N, M
  /// or S.
  init(status: UInt8?, mode: ModeIndicator?) {
    guard status == UInt8(ascii: "A") else {
      self.init(validity: .invalid, kind: nil)
      return
    }
    switch mode {
    case .unusable: self.init(validity: .invalid, kind: nil)
    case .estimated: self.init(validity: .valid, kind: .deadReckoning)
    case .solution(let kind): self.init(validity: .valid, kind: kind)
    case nil: self.init(validity: .valid, kind: nil)
    }
  }

  init(validity: Validity, kind: FixKind?) {
    self.validity = validity
    self.kind = kind
  }
}

/// The validity of a position according to one sentence.
enum Validity: Equatable {
  case valid, invalid
  /// Neither valid nor invalid, as GGA quality 6, which may repeat the last known position.
  case undetermined
}
