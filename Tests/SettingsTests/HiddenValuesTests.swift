import Testing

@testable import Settings

/// A client that edits the destinations returns secrets as it has read them.
@Suite struct HiddenValuesTests {
  private static let file = """
    { destinations: [
      { name: "home", kind: "overland", url: "https://example.org/input?key=k", token: "secret",
        headers: { "X-Key": "hush" }, proxy: "http://user:word@proxy:3128" },
      { name: "away", kind: "overland", url: "https://example.com/input", user: "me", password: "pass" },
      { name: "files", kind: "file", directory: "/tracks" },
    ] }
    """

  private static func keep(_ members: [String]) throws -> OperatorRequest {
    let body = #"{"destinations": [\#(members.joined(separator: ", "))]}"#
    return try OperatorRequest(json: Array(body.utf8)).keepingHidden(of: configuration(file: file))
  }

  private static func kept(_ members: String...) throws -> [DestinationSettings] {
    let text = try keep(members).values["destinations"] ?? ""
    return try configuration(set: ["destinations=\(text)"]).destinations
  }

  private static func refusals(_ members: String...) throws -> [String] {
    do throws(SettingsErrors) {
      let body = #"{"destinations": [\#(members.joined(separator: ", "))]}"#
      _ = try OperatorRequest(json: Array(body.utf8)).keepingHidden(of: try configuration(file: file))
      return []
    } catch { return error.errors.map(\.description) }
  }

  private static let home =
    #"{"name": "home", "kind": "overland", "url": "https://example.org/…", "token": "(hidden)"}"#

  @Test func hiddenValuesOfTheSameNameAreKept() throws {
    let all = try Self.kept(
      #"{"name": "home", "kind": "overland", "url": "https://example.org/…", "token": "(hidden)", "proxy": "(hidden)", "#
        + #""headers": {"X-Key": "(hidden)", "X-New": "n"}, "batch_size": 50}"#,
      #"{"name": "files", "kind": "file", "directory": "/tracks"}"#)
    #expect(all.count == 2 && all[0].url.text == "https://example.org/input?key=k" && all[0].batchSize == 50)
    #expect(all[0].token?.revealed == "secret" && all[0].proxy == "http://user:word@proxy:3128")
    #expect(all[0].headers.map(\.value.revealed) == ["hush", "n"])
  }

  @Test func anotherPathOfTheSameServerKeepsTheToken() throws {
    let all = try Self.kept(
      #"{"name": "home", "kind": "overland", "url": "https://EXAMPLE.org/new", "token": "(hidden)"}"#)
    #expect(all.first?.token?.revealed == "secret" && all.first?.url.text == "https://EXAMPLE.org/new")
  }

  @Test(arguments: [
    "http://example.org/input?key=k", "https://example.net/input", "https://example.org:444/input",
    "https://example.org@evil.net/input", "x", "mqtts://example.org",
  ])
  func aSecretIsNotKeptForAnotherServer(url: String) throws {
    let reasons = try Self.refusals(
      #"{"name": "home", "kind": "overland", "url": "\#(url)", "token": "(hidden)", "headers": {"X-Key": "(hidden)"}}"#
    )
    #expect(reasons.count == 2, "\(reasons)")
    #expect(reasons.allSatisfy { $0.contains("another server; enter it again") && !$0.contains("secret") })
  }

  @Test func aRenamedDestinationKeepsItsSecretsIfItIsTheOnlyOneRemoved() throws {
    let renamed = Self.home.replacing(#""home""#, with: #""house""#)
    let all = try Self.kept(renamed, #"{"name": "files", "kind": "file", "directory": "/tracks"}"#)
    #expect(all.first?.name == "house" && all.first?.token?.revealed == "secret")
    #expect(all.first?.url.text == "https://example.org/input?key=k")
  }

  @Test func aRenamedDestinationOfUncertainIdentityIsRejected() throws {
    // Two new ones can be the same old one; one has another server; the old one is still there.
    let two = try Self.refusals(
      Self.home.replacing(#""home""#, with: #""a""#), Self.home.replacing(#""home""#, with: #""b""#))
    #expect(two.count == 4 && two.allSatisfy { $0.contains("enter it again") }, "\(two)")
    let moved = try Self.refusals(
      #"{"name": "house", "kind": "overland", "url": "https://example.net/x", "token": "(hidden)"}"#)
    #expect(moved.count == 1 && moved[0].contains("destinations[0].token"), "\(moved)")
    #expect(try Self.refusals(Self.home, Self.home.replacing(#""home""#, with: #""copy""#)).count == 2)
  }

  @Test(arguments: [
    #"{"name": "home", "kind": "overland", "url": "https://example.org/…", "password": "(hidden)"}"#,
    #"{"name": "home", "kind": "overland", "url": "https://example.org/…", "headers": {"X-Other": "(hidden)"}}"#,
    #"{"name": "home", "kind": "overland", "url": "https://example.org/…", "user": "(hidden)"}"#,
    #"{"name": "home", "kind": "overland", "url": "https://example.org/…", "token": ["(hidden)"]}"#,
  ])
  func whatIsNotStoredCannotBeKept(member: String) throws {
    let reasons = try Self.refusals(member)
    #expect(reasons.count == 1 && reasons[0].hasPrefix("settings: destinations[0]"), "\(reasons)")
  }

  @Test func aRequestWithoutHiddenValuesStaysAsItIs() throws {
    for body in [
      #"{"destinations": []}"#, #"{"main.min_time": "(hidden)"}"#, #"{"destinations": "(hidden)"}"#,
    ] {
      let request = try OperatorRequest(json: Array(body.utf8))
      #expect(try request.keepingHidden(of: configuration(file: Self.file)) == request)
    }
  }
}

extension String {
  fileprivate func replacing(_ old: String, with new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
