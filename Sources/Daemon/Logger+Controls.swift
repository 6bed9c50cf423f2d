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
      configuration, isDurable: book.isDurable, trouble: book.isBeingWritten ? nil : book.trouble)
  }

  /// The warnings about the stored settings, including those that require a restart.
  private var settingWarnings: [String] {
    (try? book.sources?.configuration(book.layers))?.warnings(on: .host) ?? []
  }

  public func disclosed(_ records: [StoredRecord]) -> [StoredRecord] {
    let zones = PrivateZones(configuration)
    guard !zones.isEmpty else { return records }
    return records.compactMap { stored in
      zones.disclosed(stored.record).map { StoredRecord(id: stored.id, boot: stored.boot, record: $0) }
    }
  }

  public var logDirectory: String { configuration.storage.directory }

  public func changeSettings(_ body: [UInt8], queue: QueueWish?) -> ControlOutcome {
    guard book.sources != nil else {
      return .refused(Problem(501, "this logger has no configuration files; start it with outrider run"))
    }
    let wishes: OperatorWishes
    do throws(SettingsErrors) { wishes = try OperatorWishes(json: body) } catch {
      let faults = error.errors.map(\.description)
      return .refused(Problem(400, "nothing was changed: \(faults.joined(separator: "; "))", errors: faults))
    }
    let moved = destinationsMoved(by: wishes)
    guard queue != nil || moved.isEmpty else {
      return .refused(
        Problem(
          409,
          "nothing was changed: the url of \(moved.joined(separator: ", ")) changes; repeat the request with "
            + "?queue=keep to send its queue to the new address, or with ?queue=drop to discard it"))
    }
    let known = settingWarnings
    let faults = change(wishes, droppingQueues: queue == .drop).map(\.description)
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
    let wanted = destination.map { [$0] } ?? names
    for name in wanted { deliveries[name]?.delivery?.sendNow() }
    let isAsked = askForPosition(for: wanted, now: loop.now)
    return .done(#"{"destinations": \#(wanted.count), "position_awaited": \#(isAsked)}"#)
  }

  public func record(_ outcome: UpdateOutcome) -> ControlOutcome {
    tell(.occurred(EventRecord(outcome)), now: loop.now)
    commit(now: loop.now)
    return .done(#"{"recorded": true}"#)
  }

  private static func unknownDestination(among names: [String]) -> ControlOutcome {
    let known = names.isEmpty ? "none is configured" : "available: \(names.joined(separator: ", "))"
    return .refused(Problem(404, "no destination of this name; \(known)"))
  }

  public func dropQueue(of destination: String) -> ControlOutcome {
    let names = configuration.destinations.map(\.name)
    let isGone = book.departed.union(book.departing).contains(destination)
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
