import Quantities
import Settings
import Testing

import Provisioning

/// No secret of an applied file is left on the boot partition.
@Suite struct RedactionTests {
  /// A random text that needs no escape in JSON5 or in a URL.
  private static func secret(_ random: inout SplitMix64) -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_~")
    return String(
      (0..<Int.random(in: 8...40, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
  }

  @Test func noSecretIsLeftOnTheBootPartition() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    for round in 0..<200 {
      let secrets = (0..<12).map { _ in Self.secret(&random) }
      let quote = ["\"", "'"].randomElement(using: &random) ?? "\""
      func text(_ index: Int) -> String {
        // A secret may be written with escapes, which its plain search would miss.
        let plain = secrets[index]
        guard index == 1, quote == "\"" else { return quote + plain + quote }
        return "\"\\u00" + String(plain.utf8.first ?? 0, radix: 16) + plain.dropFirst() + "\""
      }
      let file = """
        // former token: \(secrets[8])
        { device_id: "van", /* \(secrets[9]) */
          api: { listen: "127.0.0.1:80", token: \(text(0)) }, 'destinations': [
          { name: "a", kind: "overland", token: \(text(1)), url: "https://me:\(secrets[2])@a.b/\(secrets[3])?token=\(secrets[4])",
            headers: { "X-Key": \(text(5)), Authorization: "Bearer \(secrets[10])" }, proxy: "http://u:\(secrets[6])@p:1", },
          { name: "b", kind: "owntracks", url: "mqtts://b.c:8883", user: "u", password: \(text(7)), device_id: "x/\(secrets[7])" },
          { name: "c", kind: "query", url: "HTTPS://C.d/?id=\(secrets[11])" } // \(secrets[1])
        ] }
        """
      for path in [ProvisionerTests.boot, ProvisionerTests.url] {
        var system = TestSystem()
        let setup =
          "# \(secrets[0])\noverland://setup?url=https://a:\(secrets[2])@b.c/\(secrets[3])&token=\(secrets[4])&x=\(secrets[5])"
        system.disk.put(path, Array((path == ProvisionerTests.url ? setup : file).utf8))
        #expect(provision(&system) == .applied, "seed \(seed), round \(round): \(system.journal.lines)")
        for left in system.disk.paths where left.hasPrefix("/boot/") {
          let content = try #require(system.disk.text(left))
          for secret in secrets {
            #expect(!content.contains(secret), "seed \(seed), round \(round), \(left): \(secret)\n\(content)")
            #expect(
              !content.contains(secret.dropFirst()), "seed \(seed), round \(round), \(left)\n\(content)")
          }
        }
        #expect(system.journal.lines.allSatisfy { line in !secrets.contains(where: line.contains) })
        guard path == ProvisionerTests.boot else { continue }
        // The copy is still a valid text with the same structure, and is not applied by mistake.
        let copy = try #require(system.disk[path + ".applied"])
        let names = try EditableSettings(SourceText(name: "copy", bytes: copy)).texts.map(\.path)
        let given = try EditableSettings(SourceText(name: "file", bytes: Array(file.utf8))).texts.map(\.path)
        #expect(names == given)
        let installed = system.disk[ConfigurationLocation.usual]
        system.disk.put(path, copy)
        #expect(provision(&system) == .failed && system.disk[ConfigurationLocation.usual] == installed)
      }
    }
  }
}
