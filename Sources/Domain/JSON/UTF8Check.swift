/// Finds bytes that are not UTF-8 (RFC 3629).
public enum UTF8Check {
  /// The offset of the first byte that is not part of a valid scalar; nil if there is none.
  public static func firstFault(in bytes: some Collection<UInt8>) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var parser = Unicode.UTF8.ForwardParser()
    var remainder = bytes.makeIterator()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &remainder) {
      case .valid(let scalar): offset += scalar.count
      case .emptyInput: return nil
      case .error: return offset
      }
    }
  }
}
