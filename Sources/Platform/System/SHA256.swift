/// SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), for identities; not optimised for speed.
public enum SHA256 {
  private static let blockSize = 64

  /// HMAC-SHA-256.
  static func authentication(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var key = key.count > blockSize ? digest(of: key) : key
    key += [UInt8](repeating: 0, count: blockSize - key.count)
    let inner = digest(of: key.map { $0 ^ 0x36 } + message)
    return digest(of: key.map { $0 ^ 0x5C } + inner)
  }

  /// The digest as hexadecimal text, as sha256sum(1) prints it.
  public static func text(of message: [UInt8]) -> String {
    digest(of: message).map { "\($0 < 0x10 ? "0" : "")\(String($0, radix: 16))" }.joined()
  }

  static func digest(of message: [UInt8]) -> [UInt8] {
    var state = fractions(of: 8) { $0.squareRoot() }
    let constants = fractions(of: 64, cubeRoot)
    let whole = padded(message)
    for block in stride(from: 0, to: whole.count, by: blockSize) {
      compress(whole[block..<block + blockSize], constants, &state)
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }

  /// The message padded with a set bit, zeros and its length in bits, to whole blocks (section 5.1.1).
  private static func padded(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % blockSize != blockSize - 8 { padded.append(0) }
    let bits = UInt64(message.count) &* 8
    return padded + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
  }

  private static func compress(_ block: ArraySlice<UInt8>, _ constants: [UInt32], _ state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
      block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let mixedEarly = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
      let mixedLate = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
      words.append(words[index - 16] &+ mixedEarly &+ words[index - 7] &+ mixedLate)
    }
    var s = state
    for index in 0..<64 {
      let choice = s[4] & s[5] ^ ~s[4] & s[6]
      let first =
        s[7] &+ (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) &+ choice &+ constants[index]
        &+ words[index]
      let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
      let second = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) &+ majority
      s = [first &+ second, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
    }
    for index in 0..<8 { state[index] &+= s[index] }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 32 bits of the fractional parts of roots of the first primes: the tables of the standard.
  private static func fractions(of count: Int, _ root: (Double) -> Double) -> [UInt32] {
    var primes: [Int] = []
    var candidate = 2
    while primes.count < count {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { prime in
      let value = root(Double(prime))
      return UInt32(truncatingIfNeeded: Int64((value - value.rounded(.down)) * 4_294_967_296))
    }
  }

  /// Cube root by Newton's method, exact to the last required bit.
  private static func cubeRoot(_ number: Double) -> Double {
    var root = number / 2
    for _ in 0..<60 { root -= (root * root * root - number) / (3 * root * root) }
    return root
  }
}
