import Quantities
import Settings
import Testing
import TextSnapshots
import Scheduling

/// The table of the reference page, and its tracking policies.
@Suite struct PolicyReferenceTests {
  static let texts = TextSnapshot("tracking")

  /// Level and sleep by mode, pause and accuracy, in the order nav, best, 10m, 100m, 1km, 3km.
  static let levels: [(mode: TrackingMode, pauses: Bool, levels: [String], sleeps: Bool)] = [
    (.standard, false, ["H", "H", "H", "H", "sparse", "sparse"], false),
    (.standard, true, ["H", "H", "S at 10 m", "S at 20 m", "sparse", "sparse"], true),
    (.both, false, ["H", "H", "H", "H", "sparse", "sparse"], false),
    (.both, true, ["H", "H", "S at 10 m", "S at 20 m", "sparse", "sparse"], true),
    (.significant, false, Array(repeating: "sparse", count: 6), true),
    (.significant, true, Array(repeating: "sparse", count: 6), true),
    (.off, false, Array(repeating: "none", count: 6), false),
    (.off, true, Array(repeating: "none", count: 6), false),
  ]

  @Test(arguments: levels)
  func everyCombinationIsInOneRowWithItsLevel(
    _ row: (mode: TrackingMode, pauses: Bool, levels: [String], sleeps: Bool)
  ) throws {
    for (accuracy, level) in zip(DesiredAccuracy.allCases, row.levels) {
      let rows = TrackingPolicy.reference.filter {
        $0.trackingMode == row.mode && $0.pausesAutomatically == row.pauses
          && $0.accuracies.contains(accuracy)
      }
      #expect(rows.count == 1, "\(accuracy)")
      let reported = try #require(rows.first)
      #expect(reported.level == level, "\(accuracy)")
      let desired = TrackingPolicy.desired(
        trackingMode: row.mode, pausesAutomatically: row.pauses, desiredAccuracy: accuracy,
        hasCyclicMode: true)
      #expect(reported.policy == desired)
      #expect(reported.cells[5].hasPrefix("asleep") == row.sleeps)
      #expect(reported.cells[4].contains("cyclic") == (desired?.usesCyclicMode == true && level != "sparse"))
    }
  }

  @Test func thePageNamesExistingSettings() {
    let paths = TrackingPolicy.referencePage.split(separator: "`").enumerated()
      .filter { index, path in index % 2 == 1 && path.contains(".") }.map { String($0.element) }
    let known = Set(Configuration.settings.map(\.path))
    #expect(paths.count > 5 && paths.filter { !known.contains($0) } == [])
  }

  @Test func thePageHasEveryRowWithTheFiguresOfThePolicies() {
    let page = TrackingPolicy.referencePage
    for row in TrackingPolicy.reference {
      #expect(page.contains("| \(row.cells.joined(separator: " | ")) |"))
      #expect(row.cells.allSatisfy { !$0.isEmpty && !$0.contains("|") })
    }
    #expect(page == Self.texts.expected("reference of tracking policies", page))
  }
}
