/// A requirement for a setting of a destination to have an effect.
enum DestinationRequirement: Sendable, CaseIterable {
  case server, http, body, broker, messages, encryption, clientCertificate
  case overland, serverProfile, ownTracks, query, file, tripRecords, reports, protocolBody
  case batches, token, tokenPosition, tokenParameter, user, password

  /// The reason why the setting has no effect; nil if it has one.
  ///
  /// `modes` are the effective logging modes, outside of trips and during them. With `beginsTrips`, trips are detected
  /// automatically.
  func obstacle(
    in destination: DestinationSettings, _ modes: [LoggingMode], beginsTrips: Bool
  ) -> String? {
    let kind = "kind is \(destination.kind.rawValue)"
    switch self {
    case .server: return destination.kind == .file ? kind : nil
    case .http: return destination.withoutHTTP
    case .body:
      if let reason = destination.withoutHTTP { return reason }
      return destination.kind == .query && destination.method == .get ? "method is get" : nil
    case .broker: return destination.url.isBroker ? nil : "only a broker (mqtt or mqtts) reports subscribers"
    case .messages:
      if !destination.url.isBroker { return "the URL is not that of a broker (mqtt or mqtts)" }
      return modes.contains(.all) ? nil : "its logging_mode sends one message only"
    case .encryption:
      if destination.kind == .file { return kind }
      return ["https", "mqtts"].contains(destination.url.scheme) ? nil : "the connection is not encrypted"
    case .clientCertificate:
      return Self.encryption.obstacle(in: destination, modes, beginsTrips: beginsTrips)
        ?? (destination.clientCertificate == nil ? "client_certificate is not given" : nil)
    case .overland:
      if destination.kind != .overland { return kind }
      return modes.allSatisfy { $0 == .owntracks } ? "logging_mode is owntracks" : nil
    case .protocolBody:
      if let reason = Self.overland.obstacle(in: destination, modes, beginsTrips: beginsTrips) {
        return reason
      }
      return destination.profile == .outrider ? "profile is outrider, which sends every digit" : nil
    case .reports:
      if let reason = Self.overland.obstacle(in: destination, modes, beginsTrips: beginsTrips) {
        return reason
      }
      return destination.profile == .outrider ? nil : "profile is \(destination.profile.rawValue)"
    case .serverProfile:
      // It also names the query parameter of the token, for every kind.
      let namesToken = destination.withoutHTTP == nil && destination.token != nil
      return destination.kind == .overland || namesToken ? nil : kind
    case .ownTracks:
      let isOwnTracks = destination.kind == .owntracks || modes.contains(.owntracks)
      return isOwnTracks && destination.kind != .query && destination.kind != .file ? nil : kind
    case .query: return destination.kind == .query ? nil : kind
    case .file: return destination.kind == .file ? nil : kind
    case .tripRecords:
      let takesPositions = destination.kind != .overland || modes.allSatisfy { $0 == .owntracks }
      if destination.kind != .file, takesPositions {
        return "the destination takes locations only; remove the setting"
      }
      if destination.kind == .overland, destination.profile == .outrider {
        return "profile is outrider, which sends every trip; remove the setting"
      }
      return beginsTrips ? nil : "trip.start is manual, and only automatic trips are reconstructed"
    case .batches: return destination.withoutBatches(modes)
    case .token:
      if destination.kind == .file { return kind }
      return destination.url.isBroker && destination.password != nil ? "password is sent instead" : nil
    case .tokenPosition: return destination.withoutHTTP ?? destination.withoutToken
    case .tokenParameter:
      return destination.withoutHTTP ?? destination.withoutToken
        ?? (destination.tokenPosition == .header ? "token_in is header" : nil)
    case .user: return destination.withoutLogin
    case .password:
      if destination.kind == .file { return kind }
      return !destination.url.isBroker && destination.token != nil ? "token is sent instead" : nil
    }
  }
}

extension DestinationSettings {
  fileprivate var withoutHTTP: String? {
    kind == .file ? "kind is file" : url.isBroker ? "the URL is that of a broker" : nil
  }

  fileprivate var withoutToken: String? { token == nil ? "token is not given" : nil }

  fileprivate func withoutBatches(_ modes: [LoggingMode]) -> String? {
    guard let size = batchSize, size > 1 else { return nil }
    switch kind {
    case .overland:
      return modes.contains(.all)
        ? nil : "its logging_mode sends only the newest location; remove the setting"
    case .owntracks, .query: return "\(kind.rawValue) takes one record per request; remove the setting"
    case .file: return "files are written by the hour; remove the setting"
    }
  }

  /// The reason why `user` has no effect. OwnTracks derives its topic from the user, too.
  fileprivate var withoutLogin: String? {
    if kind == .file { return "kind is file" }
    guard password == nil, !url.isBroker else { return nil }
    return kind == .query || kind == .overland && records != .owntracks
      ? "password is not given; give both or neither" : nil
  }
}

/// A requirement for a setting of a profile to have an effect.
enum ProfileRequirement: Sendable, CaseIterable {
  case turn, longAngle

  func obstacle(in profile: ProfileSettings) -> String? {
    switch self {
    case .turn: profile.angle == nil ? "angle_deg is off" : nil
    case .longAngle: profile.longAngle == nil ? "angle_long_deg is off" : nil
    }
  }
}

/// A requirement for a setting of a zone to have an effect.
enum ZoneRequirement: Sendable, CaseIterable {
  case circle, zoneProfile

  func obstacle(in zone: ZoneSettings, _ configuration: Configuration) -> String? {
    switch self {
    case .circle: zone.polygon.isEmpty ? nil : "polygon is given"
    case .zoneProfile:
      configuration.profiles.contains { $0.when == .inZone } ? nil : "no profile has when: \"in_zone\""
    }
  }
}
