import HTTPServer
import Testing

@Suite struct BearerTokenTests {
  struct Presented: Sendable, CustomTestStringConvertible {
    let authorization: String?, isAdmitted: Bool
    var testDescription: String { authorization ?? "nothing" }
  }

  static let cases = [
    Presented(authorization: "Bearer s3cret", isAdmitted: true),
    Presented(authorization: "bearer  s3cret", isAdmitted: true),
    Presented(authorization: "Bearer s3cre", isAdmitted: false),
    Presented(authorization: "Bearer s3crets3cret", isAdmitted: false),
    Presented(authorization: "Bearer S3cret", isAdmitted: false),
    Presented(authorization: "Bearer ", isAdmitted: false),
    Presented(authorization: "Token s3cret", isAdmitted: false),
    Presented(authorization: "s3cret", isAdmitted: false),
    Presented(authorization: "", isAdmitted: false),
    Presented(authorization: nil, isAdmitted: false),
  ]

  @Test(arguments: cases)
  func onlyTheWholeTokenIsAccepted(_ presented: Presented) throws {
    let token = try #require(BearerToken("s3cret"))
    let request = HTTPRequest(method: "GET", path: "/", authorization: presented.authorization)
    #expect(token.admits(request) == presented.isAdmitted)
  }

  @Test func anEmptyTokenIsRejected() {
    #expect(BearerToken("") == nil)
  }
}
