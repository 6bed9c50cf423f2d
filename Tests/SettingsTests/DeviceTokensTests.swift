import Testing

@testable import Settings

/// The tokens that servers give to a device for the token of a card image.
@Suite struct DeviceTokensTests {
  static func destination(url: String = "https://h/", token: String? = "image") -> DestinationSettings {
    var destination = DestinationSettings(
      name: "fleet", kind: .overland, url: Endpoint(url) ?? .unset)
    destination.token = token.map(Secret.init)
    destination.enrols = true
    return destination
  }

  static func own(proven: Bool = false) -> DeviceTokens {
    var tokens = DeviceTokens()
    _ = tokens.take("own", for: destination())
    if proven { _ = tokens.handle(status: 200, to: Secret("own"), of: destination()) }
    return tokens
  }

  @Test func theTokenOfTheServerIsUsedForItsAddressAndItsImageOnly() {
    let tokens = Self.own()
    #expect(tokens.token(for: Self.destination())?.revealed == "own")
    #expect(tokens.token(for: Self.destination(url: "https://other/"))?.revealed == "image")
    #expect(tokens.token(for: Self.destination(token: "new"))?.revealed == "new")
    var plain = Self.destination()
    plain.enrols = false
    #expect(tokens.token(for: plain)?.revealed == "image")
    var other = DeviceTokens()
    let isTaken = other.take("own", for: plain)
    #expect(!isTaken && other.entries.isEmpty)
  }

  @Test(arguments: ["", " ", "a b", "a\n", "ä", String(repeating: "x", count: 201)])
  func aTokenThatNoHeaderCanCarryIsIgnored(token: String) {
    var tokens = DeviceTokens()
    let isTaken = tokens.take(token, for: Self.destination())
    #expect(!isTaken && tokens.entries.isEmpty)
  }

  /// The response to the request with the token of the image brought the own token.
  @Test func aSuccessOfTheImageProvesNothingAboutTheOwnToken() {
    var tokens = Self.own()
    let isChanged = tokens.handle(status: 200, to: Secret("image"), of: Self.destination())
    #expect(!isChanged && tokens == Self.own())
  }

  @Test func aTokenThatWasNeverAcceptedIsDiscardedWhenItIsRefused() {
    var tokens = Self.own()
    let isChanged = tokens.handle(status: 401, to: Secret("own"), of: Self.destination())
    #expect(isChanged)
    #expect(tokens.token(for: Self.destination())?.revealed == "image" && tokens.entries.isEmpty)
  }

  @Test func aProvenTokenThatIsRefusedIsTriedOnAndEveryFourthAttemptEnrols() {
    var tokens = Self.own(proven: true)
    var used: [String] = []
    for _ in 0..<9 {
      let token = tokens.token(for: Self.destination())
      used.append(token?.revealed ?? "")
      _ = tokens.handle(status: 403, to: token, of: Self.destination())
    }
    #expect(used == ["own", "own", "own", "image", "own", "own", "own", "image", "own"])
    let isTaken = tokens.take("renewed", for: Self.destination())
    #expect(isTaken)
    #expect(tokens.token(for: Self.destination())?.revealed == "renewed")
  }

  @Test(arguments: [nil, 500, 503, 429, 404])
  func otherFailuresSayNothingAboutTheToken(status: Int?) {
    var tokens = Self.own()
    for _ in 0..<9 {
      let isChanged = tokens.handle(status: status, to: Secret("own"), of: Self.destination())
      #expect(!isChanged)
    }
    #expect(tokens == Self.own())
  }
}
