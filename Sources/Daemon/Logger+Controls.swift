import LocalAPI
import Quantities
import Records
import Settings
import Tracking

extension Logger: LoggerControls {
  public var settings: String { listing.json }

  private var listing: SettingsListing {
    // While a write is under way, what ailed an earlier one says nothing of it.
    SettingsListing(
      configuration, isDurable: book.isDurable, trouble: book.isBeingWritten ? nil : book.trouble)
  }

  /// The warnings of the settings as they are kept, those that count with the next start included.
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
      return .refused(Problem(501, "this logger was started without files; start it with outrider run"))
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
          "nothing was changed: the url of \(moved.joined(separator: ", ")) changes; ask again with ?queue=keep, and what "
            + "waits goes to the new one, or ?queue=drop, and it is not sent"))
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
      return .refused(Problem(409, "tracking is switched off; outrider start switches it on"))
    }
    let names = deliveries.keys.sorted()
    if let destination, !names.contains(destination) { return Self.unknownDestination(among: names) }
    // What is not durable yet is to go too.
    commit(now: loop.now)
    let wanted = destination.map { [$0] } ?? names
    for name in wanted { deliveries[name]?.delivery?.sendNow() }
    let isAsked = askForPosition(for: wanted, now: loop.now)
    return .done(#"{"destinations": \#(wanted.count), "position_awaited": \#(isAsked)}"#)
  }

  private static func unknownDestination(among names: [String]) -> ControlOutcome {
    let known = names.isEmpty ? "there are none" : "there are \(names.joined(separator: ", "))"
    return .refused(Problem(404, "no destination of this name; \(known)"))
  }

  public func dropQueue(of destination: String) -> ControlOutcome {
    let names = configuration.destinations.map(\.name)
    let isGone = book.departed.union(book.departing).contains(destination)
    guard names.contains(destination) || isGone else { return Self.unknownDestination(among: names) }
    guard storeState.isOpen else { return .refused(Problem(503, "the log is not open yet; ask again")) }
    guard names.contains(destination) else {
      forgetDestination(destination)
      return .done(#"{"destinations": 1}"#)
    }
    dropQueues(of: [destination])
    changeDeliveries()
    return .done(#"{"destinations": 1}"#)
  }
}
