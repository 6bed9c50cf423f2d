import Testing

@testable import Settings

/// `outrider settings KEY` explains every key of a file.
@Suite struct EveryKeyExplainedTests {
  /// The paths of all keys of a value as a person would type them: `destinations[].token`, `gauge.chip`.
  private static func keys(of value: JSONValue, at path: String) -> [String] {
    switch value {
    case .group(let members):
      // The operator chooses the names of headers.
      guard !path.hasSuffix("headers") else { return [path] }
      return (path.isEmpty ? [] : [path])
        + members.flatMap { keys(of: $1, at: path.isEmpty ? $0 : "\(path).\($0)") }
    case .list(let elements):
      return [path]
        + elements.flatMap { element -> [String] in
          if case .group = element {
            keys(of: element, at: "\(path)[]").filter { $0 != "\(path)[]" }
          } else {
            []
          }
        }
    case .null, .boolean, .number, .text: return [path]
    }
  }

  @Test(arguments: ["everything", "other forms"])
  func everyKeyOfAFileIsFound(name: String) throws {
    let file = try #require(ListingTests.files[name])
    let keys = Self.keys(of: try ParsedText(SourceText(name: name, bytes: Array(file.utf8))).value, at: "")
    #expect(keys.count > 5)
    for key in Set(keys).sorted() {
      let found = SettingsReference.settings(named: key)
      #expect(found.contains { $0.path == key || $0.path.hasPrefix("\(key).") }, "\(key)")
    }
  }

  /// ``ListingTests`` reads these files, lists them, and reads the listing.
  @Test func everyMemberOfAComponentHasAValueInOneOfTheFiles() throws {
    let given = Set(
      try ListingTests.files.values.flatMap { file in
        Self.keys(of: try ParsedText(SourceText(name: "x", bytes: Array(file.utf8))).value, at: "")
      })
    for component in ["gauge", "accelerometer", "receiver.enable"] {
      let members = SettingsReference.settings(named: component).map(\.path).filter { $0 != component }
      #expect(members.count > 2)
      for path in members where !path.hasSuffix(".active_low") { #expect(given.contains(path), "\(path)") }
    }
  }

  @Test func theKeysOfEveryGroupThatIsSetAsAWholeAreExplained() {
    let paths = Set(SettingsReference.all.map(\.path))
    let expected: [String] =
      GaugeSettings.Field.table.settings.map { "gauge.\($0.path)" }
      + AccelerometerSettings.Field.table.settings.map { "accelerometer.\($0.path)" }
      + Consumer.allCases.flatMap { ["energy.\($0.rawValue)", "energy.\($0.rawValue).mA"] }
      + DestinationSettings.Field.table.settings.map { "destinations[].\($0.path)" }
    for path in expected { #expect(paths.contains(path), "\(path)") }
    #expect(paths.contains("receiver.enable.active_low") && paths.contains("network.line.chip"))
    #expect(SettingsReference.all.count == paths.count, "every setting is explained once")
  }
}
