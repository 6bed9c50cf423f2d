import Foundation
import Glibc
import Testing

@testable import outrider

/// `outrider provision` on a tree of files.
@Suite struct ProvisionCommandTests {
  private static func provision(_ scratch: Scratch) throws -> (status: Int32?, errors: String) {
    let program = try Program(["provision", "--root", scratch.url.path], in: scratch)
    return (program.exitStatus(within: .seconds(20)), program.standardError)
  }

  private static func tree(_ files: [String: String]) throws -> Scratch {
    let scratch = try Scratch()
    for (name, text) in files {
      let url = scratch.url.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    return scratch
  }

  private static let file = """
    { // the van
      device_id: "van-${serial}-${mac}",
      destinations: [{ name: "home", kind: "overland", url: "https://example.org/api", token: "t0ken-one" }],
    }
    """

  @Test func aFileIsAppliedWithTheDevicesOwnName() throws {
    let scratch = try Self.tree([
      "boot/firmware/outrider.json5": Self.file, "proc/device-tree/serial-number": "10000000abcd\0",
      "sys/class/net/wlan0/address": "b8:27:eb:01:02:03\n", "sys/class/net/wlan0/type": "1\n",
      "sys/class/net/wlan0/device/vendor": "", "sys/class/net/br0/address": "02:42:00:00:00:01\n",
    ])
    let (status, errors) = try Self.provision(scratch)
    #expect(status == 0, "\(errors)")
    let path = scratch.path("etc/outrider/config.json5")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text == Self.file.replacingOccurrences(of: "${serial}-${mac}", with: "10000000abcd-b827eb010203"))
    var facts = stat()
    #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o640)
    let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path("boot/firmware"))
    #expect(left == ["outrider.json5.applied"])
    #expect(try Self.provision(scratch).status == 0)
  }

  @Test func anErrorIsExplainedBesideTheFile() throws {
    let scratch = try Self.tree([
      "boot/outrider.json5": "{\n  devise_id: \"a\"\n}", "etc/outrider/config.json5": "{}",
    ])
    let (status, errors) = try Self.provision(scratch)
    let page = try String(contentsOfFile: scratch.path("boot/outrider.error.txt"), encoding: .utf8)
    #expect(status == 1 && page.contains("/boot/outrider.json5:2:3: devise_id"), "\(page)")
    #expect(errors.contains("did you mean device_id?"), "\(errors)")
    #expect(try String(contentsOfFile: scratch.path("etc/outrider/config.json5"), encoding: .utf8) == "{}")
  }

  @Test func aSetupURLBesideAConfigurationIsStoredAsSettings() throws {
    let scratch = try Self.tree([
      "boot/firmware/outrider.url": "overland://setup?url=https://a.b/c&token=t0ken-two&device_id=bus\n",
      "etc/outrider/config.json5": "{ device_id: \"van\" }",
    ])
    let (status, errors) = try Self.provision(scratch)
    #expect(status == 0 && !errors.contains("t0ken"), "\(errors)")
    let stored = try String(contentsOfFile: scratch.path("var/lib/outrider/settings.json"), encoding: .utf8)
    #expect(stored.contains("t0ken-two") && stored.contains("bus"))
    #expect(!scratch.exists("boot/firmware/outrider.url"))
  }

  /// Rows of mountinfo, and the file that applies of those that exist.
  @Test(arguments: [
    ("ext4 /dev/sda1 rw", ["etc", "var/lib"], "etc"), ("overlay o rw", ["etc", "var/lib"], "var/lib"),
    ("overlay o rw", ["etc"], "etc"), ("ext4 /dev/sda1 rw", ["var/lib"], "var/lib"),
    ("ext4 /dev/sda1 ro", ["etc", "var/lib"], "var/lib"), ("ext4 /dev/sda1 rw", [], "etc"),
  ])
  func withAReadOnlyRootTheFileBesideTheLogPrecedes(mount: String, places: [String], expected: String) throws
  {
    var files = ["proc/self/mountinfo": "1 0 8:1 / / rw - \(mount)\n"]
    for place in places { files["\(place)/outrider/config.json5"] = "{}" }
    let scratch = try Self.tree(files)
    let usual = UsualConfiguration(root: scratch.url.path)
    #expect(usual.path == scratch.path("\(expected)/outrider/config.json5"))
    #expect((usual.warning != nil) == (places.count > 1), "\(usual)")
    #expect((usual.reason != nil) == (expected == "var/lib"), "\(usual)")
  }
}
