import EventLoop
import Formats
import HTTPClient
import LoggerConfiguration
import MQTTClient
import Quantities
import Records
import Settings
import System
import Uplink

extension OverlandProfile {
  /// Adds the identities of installation and log, and the name of the device, if the profile requires them.
  mutating func addIdentity(_ identities: LogIdentities, from first: RecordID, deviceID: String) {
    guard isComplete else { return }
    (uniqueID, logID, senderName) = (identities.uniqueID, identities.log, deviceID)
    firstRecord = first
  }
}

/// Creates the transports to the destinations, which share one HTTP client.
struct TransportFactory {
  let client: HTTPClient
  let requests: ServerRequests
  let retained: RetainedController
  private let context: LoggerContext
  private let log: LogController

  private var configuration: Configuration { context.configuration }

  /// Throws errors of libcurl.
  init(_ context: LoggerContext, _ log: LogController) throws {
    self.context = context
    self.log = log
    client = try HTTPClient(loop: context.loop)
    requests = ServerRequests(context, log)
    retained = RetainedController(context)
  }

  /// The transport to a destination, preceded by the switching of `radio`. `held` has the forms of earlier batches that are
  /// not acknowledged yet.
  func transport(
    for destination: DestinationSettings, profile: OverlandProfile, held: [DestinationState.RetainedForm],
    radio: NetworkRadio?
  ) -> any BatchTransport {
    let transport = plainTransport(for: destination, profile: profile, held: held)
    guard let radio, destination.form != .file else { return transport }
    return RadioTransport(transport, radio: radio, timeout: destination.timeout, loop: context.loop)
  }

  private func plainTransport(
    for destination: DestinationSettings, profile: OverlandProfile, held: [DestinationState.RetainedForm]
  ) -> any BatchTransport {
    switch destination.form {
    case .owntracks where destination.url.isBroker:
      let transport = MQTTTransport(
        MQTTBroker(destination, deviceID: configuration.deviceID),
        deviceID: destination.deviceID ?? configuration.deviceID,
        trackerID: destination.trackerID, isNewestOnly: destination.isNewestOnly,
        acceptsUnrouted: destination.acceptsUnrouted, inFlight: destination.inFlight, loop: context.loop,
        commands: requests.channel(for: destination))
      retained.follow(transport, of: destination.name)
      return transport
    case .overland, .owntracks, .query:
      var endpoint = HTTPEndpoint(destination, deviceID: configuration.deviceID)
      if case .overland = endpoint.form { endpoint.form = .overland(profile) }
      for batch in held {
        var former = batch.form.profile(uniqueID: log.identities.uniqueID)
        former.addIdentity(
          log.identities, from: profile.firstRecord ?? RecordID(1), deviceID: configuration.deviceID)
        endpoint.retainedProfiles[RecordID(batch.through)] = former
      }
      return HTTPTransport(
        endpoint, loop: context.loop, client: client, version: Release.version,
        commands: requests.channel(for: destination))
    case .file:
      let directory = destination.directory ?? configuration.storage.directory
      return FileTransport(
        directory: directory, formats: destination.trackFileFormats,
        isNewestOnly: destination.isNewestOnly,
        uniqueID: configuration.sendsUniqueID ? log.identities.uniqueID : nil,
        reconstructedTrips: destination.hasReconstructedTrips,
        longestPause: max(.seconds(300), configuration.main.minTime * 3)
      ) { [weak log] files, done in log?.write(files, in: directory, done) }
    }
  }
}
