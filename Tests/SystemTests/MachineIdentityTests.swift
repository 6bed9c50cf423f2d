import Testing
@testable import System

@Suite struct MachineIdentityTests {
  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Examples of FIPS 180-4, and lengths around a block boundary.
  static let digests: [(message: String, digest: String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
  ]

  @Test(arguments: digests)
  func theDigestIsThatOfTheStandard(message: String, digest: String) {
    #expect(Self.hex(SHA256.digest(of: Array(message.utf8))) == digest)
  }

  /// RFC 4231, test case 2.
  @Test func theKeyedDigestIsThatOfTheStandard() {
    let code = SHA256.authentication(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(Self.hex(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  @Test func theIdentityIsAUUIDThatHidesTheMachineID() throws {
    let machine = "0123456789abcdef0123456789abcdef"
    let identity = try #require(MachineIdentity.uniqueID(machineID: machine + "\n"))
    #expect(identity == "DB8952FE-E1F0-489A-9356-58321D2DEA51")
    #expect(MachineIdentity.uniqueID(machineID: machine.uppercased()) == identity)
    #expect(MachineIdentity.uniqueID(machineID: "1123456789abcdef0123456789abcdef") != identity)
  }

  @Test(arguments: [
    "", "uninitialized", "0123", String(repeating: "0", count: 32), String(repeating: "x", count: 32),
  ])
  func anInvalidMachineIDGivesNoIdentity(text: String) {
    #expect(MachineIdentity.uniqueID(machineID: text) == nil)
  }
}
