import Formats
import Quantities
import Records

/// Where to, as whom, and in which form over HTTP.
public struct HTTPEndpoint: Equatable, Sendable {
  /// What a server gets.
  public enum Form: Equatable, Sendable {
    case overland(OverlandProfile)
    /// One object a request; `trackerID` is its `tid`.
    case ownTracks(trackerID: String?)
    /// The values in the query of a GET, or as the form of a POST.
    case query(isPost: Bool, speedUnit: SpeedUnit)
  }

  public enum Credentials: Equatable, Sendable {
    case none
    /// `Authorization: Bearer`.
    case bearer(String)
    /// An item of the query.
    case query(name: String, token: String)
    /// `Authorization: Basic` (RFC 7617).
    case basic(user: String, password: String)
  }

  /// The whole address; markers such as `%LAT` are replaced at each attempt.
  public var url: String
  public var form = Form.overland(.overland)
  /// What batches that may have been sent already are rendered for, by their last record, where ``form`` says otherwise
  /// by now.
  public var heldProfiles: [RecordID: OverlandProfile] = [:]
  public var credentials = Credentials.none
  /// Sent with each request, to the configured server alone.
  public var headers: [Header] = []
  /// PEM file of the authorities to trust instead of the system's.
  public var authorityFile: String?
  public var clientCertificateFile: String?
  public var clientKeyFile: String?
  public var proxy: String?
  /// The body goes packed by gzip.
  public var isPacked = false
  /// Any 2xx is success, whatever the body says.
  public var acceptsAnyBody = false
  /// A server has chosen the form, and it has not proved itself.
  public var isFormOnTrial = false
  /// Of all locations that wait only the newest is sent.
  public var isNewestOnly = false
  /// Who the messages are from, where neither header nor topic says so: sent as `X-Limit-U` in the OwnTracks form.
  public var user: String?

  public struct Header: Equatable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public init(url: String) { self.url = url }

  /// Only the Overland protocol has an answer of its own; the other forms have none but the status.
  var confirmation: AnswerJudge.Confirmation {
    let isOverland = if case .overland = form { true } else { false }
    return AnswerJudge.Confirmation(
      isResultWanted: isOverland, isAnyBodyTaken: acceptsAnyBody,
      isFormOnTrial: isFormOnTrial)
  }
}
