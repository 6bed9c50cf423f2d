/// The last attempts to send, newest first, as `GET /sends` returns them. Absent values are unknown.
public struct SendsReport: Codable, Equatable, Sendable {
  /// One attempt to send a batch.
  public struct Send: Codable, Equatable, Sendable {
    public var destination: String
    /// The end of the attempt, in ISO 8601 in UTC; absent while the date is unknown.
    public var time: String?
    /// The number of records in the batch, and their size before compression.
    public var records: Int
    public var bytes: Int
    /// The HTTP status; absent without a response over HTTP.
    public var status: Int?
    /// The first 200 characters of the response, or the reason of the failure.
    public var answer: String
    public var duration_s: Double
    /// What followed: accepted, unconfirmed, retried or halved.
    public var consequence: String

    public init(
      destination: String, time: String?, records: Int, bytes: Int, status: Int?, answer: String,
      duration_s: Double, consequence: String
    ) {
      (self.destination, self.time, self.records, self.bytes) = (destination, time, records, bytes)
      (self.status, self.answer, self.duration_s) = (status, answer, duration_s)
      self.consequence = consequence
    }
  }

  public var sends: [Send]

  public init(sends: [Send]) { self.sends = sends }
}
