import Formats
import Quantities
import Records

/// The URL, credentials and format of an HTTP destination.
public struct HTTPEndpoint: Equatable, Sendable {
  /// The format of the requests.
  public enum Form: Equatable, Sendable {
    case overland(OverlandProfile)
    /// One OwnTracks object per request; `trackerID` is its `tid`. `deviceID` is the name of the device in objects
    /// without a location.
    case ownTracks(trackerID: String?, deviceID: String = "")
    /// One location per request, in the query of a GET or the form of a POST.
    case query(isPost: Bool, speedUnit: SpeedUnit)
    /// Like `query`, with Traccar's further items, and with events as requests of their own. `deviceID` is the
    /// identifier of the device in those.
    case traccar(isPost: Bool, speedUnit: SpeedUnit, deviceID: String)
  }

  /// The credentials of a request.
  public enum Credentials: Equatable, Sendable {
    case none
    /// `Authorization: Bearer`.
    case bearer(String)
    /// The token as a query item.
    case query(name: String, token: String)
    /// `Authorization: Basic` (RFC 7617).
    case basic(user: String, password: String)
  }

  /// The whole URL. Markers such as `%LAT` are replaced at every attempt.
  public var url: String
  public var form = Form.overland(.overland)
  /// The profiles of batches that may have been sent before ``form`` changed, by their last record.
  public var retainedProfiles: [RecordID: OverlandProfile] = [:]
  public var credentials = Credentials.none
  /// Additional headers of every request. They are sent to the configured server only, not to a redirect target.
  public var headers: [Header] = []
  /// The PEM file of the certificate authorities to trust instead of the system's.
  public var authorityFile: String?
  public var clientCertificateFile: String?
  public var clientKeyFile: String?
  public var proxy: String?
  /// True if the body is compressed with gzip.
  public var isPacked = false
  /// True if any 2xx is a success, regardless of the body.
  public var acceptsAnyBody = false
  /// True if the server has chosen the format by a remote setting that is still on trial.
  public var isFormOnTrial = false
  /// True if only the newest location of the queue is sent.
  public var isNewestOnly = false
  /// The sender of the messages if the device id contains no user: sent as `X-Limit-U` in the OwnTracks format.
  public var user: String?

  /// A header that the operator has configured.
  public struct Header: Equatable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public init(url: String) { self.url = url }

  /// The events that are sent, too.
  public var events: EventSelection {
    switch form {
    case .overland(let profile): profile.isComplete ? .all : .none
    // Of several records only the newest is sent.
    case .traccar: isNewestOnly ? .none : .all
    case .ownTracks: .zones
    case .query: .none
    }
  }

  /// The requirements on a response. Only the Overland protocol defines a response body.
  var confirmation: ResponseEvaluator.Confirmation {
    let isOverland = if case .overland = form { true } else { false }
    return ResponseEvaluator.Confirmation(
      requiresResult: isOverland, acceptsAnyBody: acceptsAnyBody,
      isFormOnTrial: isFormOnTrial)
  }
}
