import Foundation
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

  // MARK: Serial numbers

  private static let machine = "0123456789abcdef0123456789abcdef"

  private static func serial(_ text: String, _ source: HardwareSerial.Source = .deviceTree) -> HardwareSerial?
  {
    HardwareSerial(source, Array(text.utf8))
  }

  @Test func boardsWithOneMachineIDHaveIdentitiesOfTheirOwn() throws {
    let serials = (0..<5).map { "10000000a7c3e1\($0)d\0" }
    let hosts = serials.map { MachineIdentity(machineID: Self.machine, serial: Self.serial($0)) }
    #expect(Set(hosts.compactMap(\.machineAndBoard)).count == 5)
    #expect(Set(hosts.compactMap(\.board?.text)).count == 5)
    #expect(Set(hosts.map(\.machine)) == ["DB8952FE-E1F0-489A-9356-58321D2DEA51"])
    for (host, serial) in zip(hosts, serials) {
      let texts = [host.machine, host.machineAndBoard, host.board?.text].compactMap(\.self)
      #expect(texts.allSatisfy { !$0.lowercased().contains(serial.prefix(16)) }, "the serial number shows")
      #expect(host.board.map { BoardHash($0.text) } == host.board)
    }
    #expect(MachineIdentity(machineID: nil, serial: Self.serial("10000000a7c3e15d")).machineAndBoard == nil)
    #expect(MachineIdentity(machineID: Self.machine, serial: nil).machineAndBoard == nil)
  }

  @Test(arguments: [
    "10000000a7c3e15d", "10000000a7c3e15d\0", "10000000A7C3E15D\n", " 10000000a7c3e15d \0garbage",
  ])
  func theFormOfASerialNumberDoesNotCount(text: String) {
    #expect(Self.serial(text) == Self.serial("10000000a7c3e15d"))
  }

  @Test(arguments: [
    "", "\0", " \n", "0", "0000000000000000", "00000000-0000-0000-0000-000000000000",
    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "ffffffff", "To be filled by O.E.M.", "To Be Filled By O.E.M.\n",
    "Default string", "None", "Not Specified", "not applicable", "N/A", "Unknown", "System Serial Number",
    "03000200-0400-0500-0006-000700080009", "00020003-0004-0005-0006-000700080009", "0123456789",
    "1234567890",
    "123456789", "0123456789abcdef", "12345678-1234-5678-1234-567812345678",
    "12345678-1234-5678-90ab-cddeefaabbcc",
    "xxxxxxxx", "----", "00112233-4455-6677-8899-aabbccddeeff", "1000000000000000",
    "\u{FF}\u{FF}\u{FF}\u{FF}",
  ])
  func aTextThatManyBoardsShareIsNoSerialNumber(text: String) {
    for source in HardwareSerial.Source.allCases { #expect(Self.serial(text, source) == nil) }
  }

  @Test(arguments: [
    "", "dmi", "dmi 0123", "usb 0123456789abcdef", "dmi 0123456789abcdeg", "dmi 0123456789abcdef ",
  ])
  func aStrangeHashIsRejected(text: String) { #expect(BoardHash(text) == nil) }

  /// Files of a host; the identity it has by them: of the machine, with a source of the serial number.
  static let hosts: [(files: [String: String], source: HardwareSerial.Source?, hasMachine: Bool)] = [
    ([:], nil, false),
    (["/etc/machine-id": machine + "\n"], nil, true),
    (["/var/lib/dbus/machine-id": machine], nil, true),
    (["/etc/machine-id": "uninitialized\n", "/var/lib/dbus/machine-id": machine], nil, true),
    (
      ["/etc/machine-id": machine, "/proc/device-tree/serial-number": "10000000a7c3e15d\0"], .deviceTree, true
    ),
    (
      ["/etc/machine-id": machine, "/sys/firmware/devicetree/base/serial-number": "10000000a7c3e15d\0"],
      .deviceTree, true
    ),
    (
      [
        "/etc/machine-id": machine,
        "/sys/class/dmi/id/product_uuid": "4c4c4544-0042-3510-8052-b4c04f4a3132\n",
        "/proc/device-tree/serial-number": "None\0",
      ], .dmi, true
    ),
    (
      [
        "/etc/machine-id": machine,
        "/sys/class/dmi/id/product_uuid": "03000200-0400-0500-0006-000700080009\n",
      ], nil, true
    ),
    (["/proc/device-tree/serial-number": "10000000a7c3e15d\0"], .deviceTree, false),
    (["/proc/device-tree/serial-number": String(repeating: "a1b2", count: 100_000)], nil, false),
  ]

  @Test(arguments: hosts)
  func theFilesOfTheHostAreRead(files: [String: String], source: HardwareSerial.Source?, hasMachine: Bool)
    throws
  {
    let root = NSTemporaryDirectory() + "outrider-identity-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    for (path, text) in files {
      let directory = (root + path as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try text.write(toFile: root + path, atomically: true, encoding: .utf8)
    }
    let host = MachineIdentity.read(root: root)
    #expect(host.board?.source == source)
    #expect((host.machine != nil) == hasMachine)
    #expect((host.machineAndBoard != nil) == (hasMachine && source != nil))
  }
}
