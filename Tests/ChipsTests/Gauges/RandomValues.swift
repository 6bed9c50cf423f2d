import Quantities

extension SplitMix64 {
  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 40) }

  /// A number in 0..<1.
  mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

  mutating func oneOf<Value>(_ values: [Value]) -> Value { values[Int(next() % UInt64(values.count))] }
}
