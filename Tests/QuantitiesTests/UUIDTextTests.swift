import Testing

@testable import Quantities

@Suite struct UUIDTextTests {
  /// RFC 9562 section 5.4: version 4, variant 10.
  @Test func everyTextIsARandomUUID() throws {
    var random = SplitMix64(seed: 4)
    var seen: Set<String> = []
    for _ in 0..<1000 {
      let text = UUIDText.random(using: &random)
      let isUUID =
        text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
      #expect(isUUID, "\(text)")
      seen.insert(text)
    }
    #expect(seen.count == 1000)
  }
}
