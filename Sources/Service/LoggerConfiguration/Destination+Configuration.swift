import Formats
import MQTTClient
import Quantities
import Records
import Settings
import Uplink

// Delivery, credentials and broker of a destination, from its settings.

extension DeliveryMachine.Settings {
  /// The delivery settings of a destination of ``Settings/Configuration/effectiveDestinations``.
  package init(_ destination: DestinationSettings, supply: Supply) {
    self.init()
    if case .some(let interval) = destination.sendInterval { sendInterval = interval }
    timeout = destination.timeout
    savesEnergy = supply == .battery
    if destination.form == .overland, destination.overlandProfile.isComplete { checkIn = destination.checkIn }
    isNewestOnly = destination.isNewestOnly
    let desired = destination.batchSize ?? batchSize
    switch (destination.form, isNewestOnly) {
    case (_, true):
      // Older locations are only skipped.
      batchSize = Self.largestStep
      pacing = .whenDue
    case (.overland, false):
      batchSize = desired
      if let bucket = destination.overlandProfile.bucket {
        // A span of the clock is sent whole; at 1 Hz it has as many records as seconds.
        batchSize = max(desired, min(Int(clamping: bucket.wholeSeconds) + 100, Self.largestStep))
        pacing = .whenDue
      }
    case (.owntracks, false) where destination.url.isBroker:
      // Every record is a message of its own. The window is empty at the end of a batch, so a batch has many windows.
      batchSize = min(max(destination.inFlight * Self.windowsPerBatch, 1), Self.largestStep)
      pacing = .whenDue
    case (.owntracks, false), (.query, false):
      batchSize = 1
      largestRequest = 1
      pacing = .whenDue
    case (.file, false):
      // Every batch rewrites the file of its hour, so large batches spare the medium.
      batchSize = Self.largestStep
      pacing = .whenDue
    }
  }

  private static let largestStep = 4000
  private static let windowsPerBatch = 25
}

extension DestinationSettings {
  /// The format of the records; `logging_mode` may change it.
  package var form: DestinationKind { kind == .overland && records == .owntracks ? .owntracks : kind }

  /// The events that are sent, too.
  package var events: EventSelection {
    switch form {
    case .overland: overlandProfile.isComplete ? .all : .none
    case .query: isTraccar && !isNewestOnly ? .all : .none
    case .owntracks: .zones
    case .file: .none
    }
  }

  /// The Overland profile with the differences that the destination sets.
  package var overlandProfile: OverlandProfile {
    var row = OverlandProfile.named(profile.rawValue) ?? .overland
    if hasWholeSpeed { row.hasWholeSpeed = true }
    if hasHistoricStats { row.addHistoricStats() }
    row.hasReconstructedTrips = hasReconstructedTrips
    return row
  }

  /// The formats of the track files.
  package var trackFileFormats: [TrackFile.Format] {
    switch fileFormat {
    case .geojson: [.geoJSON]
    case .gpx: [.gpx]
    case .both: [.geoJSON, .gpx]
    }
  }
}

extension OverlandProfile {
  /// Adds the fields of `historic_stats`.
  package mutating func addHistoricStats() {
    countsPayload = true
    historic = historic ?? Historic()
  }
}

extension HTTPEndpoint {
  /// The endpoint of a destination, without profiles of earlier batches. `deviceID` is the name of the device for
  /// destinations without one.
  public init(_ destination: DestinationSettings, deviceID: String = "") {
    self.init(url: destination.url.text)
    switch destination.form {
    case .overland, .file: form = .overland(destination.overlandProfile)
    case .owntracks:
      form = .ownTracks(
        trackerID: destination.trackerID, deviceID: destination.deviceID ?? deviceID)
    case .query:
      let isPost = destination.method == .post
      form =
        destination.isTraccar
        ? .traccar(
          isPost: isPost, speedUnit: destination.speedUnit, deviceID: destination.deviceID ?? deviceID)
        : .query(isPost: isPost, speedUnit: destination.speedUnit)
    }
    credentials = Credentials(destination)
    headers = destination.headers.map { Header($0.name, $0.value.revealed) }
    authorityFile = destination.caFile
    clientCertificateFile = destination.clientCertificate
    clientKeyFile = destination.clientKey
    proxy = destination.proxy
    isPacked = destination.isPacked
    acceptsAnyBody = destination.acceptsAny2xx
    isNewestOnly = destination.isNewestOnly
    isFormOnTrial = destination.isLoggingModeOnTrial
    user = destination.user
  }
}

extension HTTPEndpoint.Credentials {
  /// The token if there is one, else user and password. With a token, `user` is a part of the topic.
  package init(_ destination: DestinationSettings) {
    let profile = destination.overlandProfile
    guard let token = destination.token?.revealed else {
      guard let password = destination.password else {
        self = .none
        return
      }
      self = .basic(user: destination.user ?? "", password: password.revealed)
      return
    }
    let usual: TokenPosition = profile.tokenParameter == nil ? .header : .query
    switch destination.tokenPosition ?? (destination.tokenParameter == nil ? usual : .query) {
    case .header: self = .bearer(token)
    case .query:
      self = .query(
        name: destination.tokenParameter ?? profile.tokenParameter ?? "token", token: token)
    }
  }
}

extension MQTTBroker {
  /// The broker of a destination, on the default port of the scheme unless the URL has one.
  ///
  /// The client identifier differs between the destinations of a device. It has at most the 23 letters and digits that every
  /// broker accepts (MQTT 3.1.1 section 3.1.3.1).
  public init(_ destination: DestinationSettings, deviceID: String) {
    let isEncrypted = destination.url.scheme == "mqtts"
    let digits = String(FNVHash("\(deviceID)/\(destination.name)").value, radix: 36)
    self.init(
      host: destination.url.host, port: destination.url.port ?? (isEncrypted ? 8883 : 1883),
      isEncrypted: isEncrypted, clientID: "outrider\(digits)")
    user = destination.user
    password = (destination.password ?? destination.token)?.revealed
    authorityFile = destination.caFile
    clientCertificateFile = destination.clientCertificate
    clientKeyFile = destination.clientKey
  }
}
