import Chips
import Glibc

extension I2CError {
  /// What people are told.
  public var words: String {
    switch self {
    case .noAcknowledge: "does not answer"
    case .timedOut: "the bus hangs: a line is held low, or a part stretches the clock without end"
    case .system(_, EBUSY): "a driver of the kernel has it"
    case .system(_, let number): String(cString: strerror(number))
    case .unsupported(_, let transaction): "the adapter cannot \(transaction)"
    case .shortRead(_, let expected, let got): "gave \(got) of \(expected) bytes"
    }
  }
}
