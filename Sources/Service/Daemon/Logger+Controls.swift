import LoggerConfiguration
import LocalAPI
import Quantities
import Records
import Settings
import Tracking

extension Logger: LoggerControls {
  public var settings: String { listing.json }

  private var listing: SettingsListing {
    // While a write is in progress, the failure of an earlier one does not apply.
    SettingsListing(
      configuration, isDurable: settingsState.isDurable,
      trouble: settingsState.isBeingWritten ? nil : settingsState.trouble)
  }

  /// The warnings about the stored settings, including those that require a restart.
  private var settingWarnings: [String] {
    (try? settingsState.sources?.configuration(settingsState.layers))?.warnings(on: .host) ?? []
  }

  public func disclosed(_ records: [StoredRecord]) -> [StoredRecord] {
    let zones = PrivateZones(configuration)
    guard !zones.isEmpty else { return records }
    return records.compactMap { stored in
      zones.disclosed(stored.record).map { StoredRecord(id: stored.id, boot: stored.boot, record: $0) }
    }
  }

  public var logDirectory: String { configuration.storage.directory }

  public func changeSettings(_ body: [UInt8], queue: QueueChoice?) -> ControlOutcome {
    guard settingsState.sources != nil else {
      return .refused(Problem(501, "this logger has no configuration files; start it with outrider run"))
    }
    let request: OperatorRequest
    do throws(SettingsErrors) { request = try OperatorRequest(json: body) } catch {
      let faults = error.errors.map(\.description)
      return .refused(Problem(400, "nothing was changed: \(faults.joined(separator: "; "))", errors: faults))
    }
    let moved = destinationsMoved(by: request)
    guard queue != nil || moved.isEmpty else {
      return .refused(
        Problem(
          409,
          "nothing was changed: the url of \(moved.joined(separator: ", ")) changes; repeat the request with "
            + "?queue=keep to send its queue to the new address, or with ?queue=drop to discard it"))
    }
    let known = settingWarnings
    let faults = change(request, droppingQueues: queue == .drop).map(\.description)
    guard faults.isEmpty else {
      return .refused(Problem(422, "nothing was changed: \(faults.joined(separator: "; "))", errors: faults))
    }
    var answer = listing
    answer.warnings = settingWarnings.filter { !known.contains($0) }
    return .done(answer.json)
  }

  public func send(to destination: String?) -> ControlOutcome {
    guard configuration.isTracking else {
      return .refused(Problem(409, "tracking is switched off; switch it on with outrider start"))
    }
    let names = deliveries.keys.sorted()
    if let destination, !names.contains(destination) { return Self.unknownDestination(among: names) }
    // Records that are not durable yet are sent, too.
    commit(now: loop.now)
    let recipients = destination.map { [$0] } ?? names
    for name in recipients { deliveries[name]?.delivery?.sendNow() }
    let isAsked = requestPosition(for: recipients, now: loop.now)
    return .done(#"{"destinations": \#(recipients.count), "position_awaited": \#(isAsked)}"#)
  }

  public func record(_ outcome: UpdateOutcome) -> ControlOutcome {
    process(.occurred(EventRecord(outcome)), now: loop.now)
    commit(now: loop.now)
    return .done(#"{"recorded": true}"#)
  }

  private static func unknownDestination(among names: [String]) -> ControlOutcome {
    let known = names.isEmpty ? "none is configured" : "available: \(names.joined(separator: ", "))"
    return .refused(Problem(404, "no destination of this name; \(known)"))
  }

  public func dropQueue(of destination: String) -> ControlOutcome {
    let names = configuration.destinations.map(\.name)
    let isGone = settingsState.departed.union(settingsState.departing).contains(destination)
    guard names.contains(destination) || isGone else { return Self.unknownDestination(among: names) }
    guard storeState.isOpen else { return .refused(Problem(503, "the log is not open yet; retry later")) }
    guard names.contains(destination) else {
      forgetDestination(destination)
      return .done(#"{"destinations": 1}"#)
    }
    dropQueues(of: [destination])
    changeDeliveries()
    return .done(#"{"destinations": 1}"#)
  }
}
