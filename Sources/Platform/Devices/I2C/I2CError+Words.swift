import Chips
import Glibc

extension I2CError {
  /// The text for messages.
  public var words: String {
    switch self {
    case .noAcknowledge: "does not answer"
    case .timedOut: "the bus hangs: a line is held low, or a chip stretches the clock without end"
    case .system(_, EBUSY): "in use by a kernel driver"
    case .system(_, let number): String(cString: strerror(number))
    case .unsupported(_, let transaction): "the adapter does not support: \(transaction)"
    case .shortRead(_, let expected, let got): "got \(got) of \(expected) bytes"
    }
  }
}
