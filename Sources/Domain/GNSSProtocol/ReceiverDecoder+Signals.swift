// Signal strength of the best satellite, for users that wait for a fix.
extension ReceiverDecoder {
  /// Carrier-to-noise density in dBHz of the strongest satellite since the last call. It is 0 if the receiver
  /// reported satellites and tracks none, and nil if it reported none or ``reportsSignalStrength`` is off.
  public mutating func takeStrongestSignal() -> UInt8? {
    defer { strongestSignal = nil }
    return strongestSignal
  }

  mutating func recordSignals(_ sentence: GSV?) {
    guard var sentence else { return }
    var strongest = strongestSignal ?? 0
    while let satellite = sentence.next() { strongest = max(strongest, satellite.signal ?? 0) }
    strongestSignal = strongest
  }

  mutating func recordSignals(_ message: NavSAT) {
    recordSignals(count: message.numSvs) { message.satellite($0)?.signal }
  }

  mutating func recordSignals(_ message: NavSVINFO) {
    recordSignals(count: message.numCh) { message.satellite($0)?.signal }
  }

  @inline(__always)
  private mutating func recordSignals(count: Int, _ signal: (Int) -> UInt8?) {
    var strongest = strongestSignal ?? 0
    for index in 0..<count { strongest = max(strongest, signal(index) ?? 0) }
    strongestSignal = strongest
  }
}
