import Devices
import Foundation
import Testing

@Suite struct LatchReleaseTests {
  @Test func aLatchIsReleasedOnlyIfTheDriverHasADevice() throws {
    let folder = NSTemporaryDirectory() + "latch-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(LatchRelease.fault(under: folder)?.contains("dtoverlay=gpio-poweroff") == true)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["bind", "unbind", "uevent"] {
      try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    try FileManager.default.createSymbolicLink(atPath: folder + "/module", withDestinationPath: "/")
    #expect(LatchRelease.fault(under: folder)?.contains("no device") == true)
    try FileManager.default.createSymbolicLink(atPath: folder + "/power_ctrl", withDestinationPath: "/")
    #expect(LatchRelease.fault(under: folder) == nil)
  }
}
