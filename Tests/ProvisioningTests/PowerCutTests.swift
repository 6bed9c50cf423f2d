import Quantities
import Settings
import Testing

import Provisioning

/// The set-up while the power fails at any step, several times in a row.
@Suite struct PowerCutTests {
  static let old = "{ device_id: \"old\" } // old-secret"
  static let new = """
    { device_id: "new-${serial}", destinations: [
      { name: "a", kind: "overland", url: "https://a.b/c?key=secret-in-url", token: "secret-token" },
    ] }
    """
  static var installed: String { new.replacing("${serial}", with: "10000000abcdef01") }

  private static func system(hasOld: Bool, isOverlay: Bool) -> TestSystem {
    var system = TestSystem(disk: ModelDisk([ProvisionerTests.boot: Array(new.utf8)]))
    if isOverlay {
      system.mounts = MountTable(mountinfo: Array("1 0 0:20 / / rw - overlay o rw\n".utf8))
    }
    if hasOld { system.disk.put(target(system), Array(old.utf8)) }
    return system
  }

  private static func target(_ system: TestSystem) -> String { ConfigurationLocation(system.mounts).target }

  /// The invariant at every instant: a whole configuration, and the new one or the file that brings it.
  private static func check(_ system: TestSystem, hasOld: Bool, _ note: Comment) {
    let present = system.disk.text(target(system))
    #expect(present == installed || present == (hasOld ? old : nil), note)
    #expect(
      present == installed || system.disk.text(ProvisionerTests.boot) == new, "the token is not lost; \(note)"
    )
  }

  @Test(arguments: [(true, false), (false, false), (true, true), (false, true)])
  func everyCutLeavesTheOldOrTheNewConfiguration(hasOld: Bool, isOverlay: Bool) {
    var whole = Self.system(hasOld: hasOld, isOverlay: isOverlay)
    #expect(provision(&whole) == .applied)
    let steps = whole.disk.steps.count
    #expect(steps > 15)
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    for first in 0...steps {
      for _ in 0..<40 {
        var system = Self.system(hasOld: hasOld, isOverlay: isOverlay)
        var cuts = [first]
        if Bool.random(using: &random) { cuts.append(Int.random(in: 0...steps, using: &random)) }
        for cut in cuts {
          system.stepsUntilCut = cut
          _ = provision(&system)
          system.disk.cut(using: &random)
          Self.check(system, hasOld: hasOld, "cuts \(cuts), seed \(seed)")
        }
        system.stepsUntilCut = nil
        let outcome = provision(&system)
        let note: Comment = "cuts \(cuts), seed \(seed), \(outcome), \(system.journal.lines), \(system.disk)"
        #expect(outcome != .failed, note)
        #expect(system.disk.text(Self.target(system)) == Self.installed, note)
        #expect(system.disk[ProvisionerTests.boot] == nil && system.disk[ProvisionerTests.page] == nil, note)
        for path in system.disk.paths where path.hasPrefix("/boot/") {
          #expect(system.disk.text(path)?.contains("secret-") == false, note)
        }
        // A start without a file changes nothing any more, also after an edit by hand.
        system.disk.put(Self.target(system), Array(Self.old.utf8))
        #expect(provision(&system) == .nothingToDo)
        #expect(system.disk.text(Self.target(system)) == Self.old, note)
        // The same card again is applied again.
        system.disk.put(ProvisionerTests.boot, Array(Self.new.utf8))
        #expect(provision(&system) == .applied, note)
        #expect(system.disk.text(Self.target(system)) == Self.installed, note)
      }
    }
  }

  @Test func aBoardIsSetUpInSpiteOfCuts() {
    for cut in 0...30 {
      var system = TestSystem(
        disk: ModelDisk([ProvisionerTests.boot: Array("{ board: \"x\", apply_board: true }".utf8)]))
      system.stepsUntilCut = cut
      var random = SplitMix64(seed: UInt64(cut))
      _ = provision(&system)
      system.disk.cut(using: &random)
      system.stepsUntilCut = nil
      _ = provision(&system)
      #expect(!system.boards.isEmpty && system.disk[ProvisionerTests.boot] == nil, "cut \(cut)")
    }
  }
}
