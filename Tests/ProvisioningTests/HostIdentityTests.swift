import Testing

@testable import Provisioning

/// The variables in a device name.
@Suite struct HostIdentityTests {
  private static let wired = HostIdentity.Interface(
    name: "eth0", address: "B8:27:EB:01:02:03\n", isPhysical: true)

  @Test func theSerialNumberIsThatOfTheDeviceTreeOrOfTheProcessor() {
    let processors = Array(
      "processor\t: 0\nRevision\t: a02082\nSerial\t\t: 00000000deadbeef\nModel\t\t: Pi\n".utf8)
    for (serials, expected) in [
      ([Array("10000000abcdef\0".utf8)], "10000000abcdef"), ([[], Array("feed\0".utf8)], "feed"),
      ([Array("0000000000000000\0".utf8)], "00000000deadbeef"), ([], "00000000deadbeef"),
    ] {
      let identity = HostIdentity(serials: serials, processors: processors, interfaces: [], hostName: "")
      #expect(identity.values == [.serial: expected])
    }
    let none = HostIdentity(
      serials: [[]], processors: Array("processor: 0\nSerial\t\t: 0000\n".utf8), interfaces: [],
      hostName: " \n")
    #expect(none.values.isEmpty)
  }

  @Test func theAddressIsThatOfTheFirstPhysicalInterface() {
    let interfaces = [
      HostIdentity.Interface(name: "wlan0", address: "b8:27:eb:09:09:09", isPhysical: true), Self.wired,
      HostIdentity.Interface(name: "docker0", address: "02:42:00:00:00:01", isPhysical: false),
      HostIdentity.Interface(name: "can0", address: "00:00:00:00:00:00", isPhysical: true),
    ]
    let identity = HostIdentity(serials: [], processors: [], interfaces: interfaces, hostName: "kestrel\n")
    #expect(identity.values == [.mac: "b827eb010203", .hostname: "kestrel"])
  }

  @Test func everyVariableOfATextIsReplaced() throws {
    let identity = HostIdentity([.serial: "s${mac}", .mac: "m", .hostname: "h"])
    for (text, expected) in [
      ("${serial}", "s${mac}"), ("fleet/${mac}-${hostname}", "fleet/m-h"), ("a$b{c}", "a$b{c}"), ("", ""),
    ] {
      #expect(try identity.substituted(text, at: "file:1:2: device_id") == expected)
    }
    #expect(throws: BootFault.unclosedVariable(location: "file", text: "mac")) {
      try identity.substituted("${mac", at: "file")
    }
    for text in ["${}", "${MAC}", "${mac }"] {
      #expect(throws: BootFault.self) { try identity.substituted(text, at: "file") }
    }
  }
}
