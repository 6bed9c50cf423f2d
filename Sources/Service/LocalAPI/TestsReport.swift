/// The last tests of destinations, newest first, as `GET /test` returns them. Absent values are unknown.
public struct TestsReport: Codable, Equatable, Sendable {
  /// The result of one test.
  public struct Result: Codable, Equatable, Sendable {
    /// The number of the test, as `POST /test` returned it.
    public var id: Int
    public var destination: String
    /// The end of the test, in ISO 8601 in UTC; absent while the date is unknown.
    public var time: String?
    /// True if no step found a fault.
    public var ok: Bool
    /// The first fault with its remedy, or what was found out last.
    public var sentence: String
    /// The name of the server's database; absent if the server does not give one.
    public var server: String?

    public init(id: Int, destination: String, time: String?, ok: Bool, sentence: String, server: String?) {
      (self.id, self.destination, self.time, self.ok) = (id, destination, time, ok)
      (self.sentence, self.server) = (sentence, server)
    }
  }

  public var results: [Result]

  public init(results: [Result]) { self.results = results }
}
