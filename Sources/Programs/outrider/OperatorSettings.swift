import LocalAPI
import Quantities
import Settings
import Store
import System

/// Applies the operator's settings: through the running logger, or in the storage directory if none is running.
enum OperatorSettings {
  /// The timeout for a running logger to save a change.
  private static let timeout = Duration.seconds(10)

  /// The result of a change.
  struct Applied {
    /// True if a running logger applies the change; false if the next start does.
    var isInRunningLogger: Bool
    /// The consequences of the change, one line each.
    var consequences: [String] = []

    /// States after a verb such as "set" where the change was made.
    func words(_ verb: String) -> String {
      isInRunningLogger
        ? "\(verb) in the running logger" : "\(verb); no logger is running, applied at the next start"
    }

    /// Returns ``words(_:)`` and the consequences.
    func text(_ verb: String) -> String { ([words(verb)] + consequences).joined(separator: "\n") }
  }

  /// Applies a change, and reports run-time settings that cannot be read. A running logger knows them; then nothing is
  /// reported.
  static func applyWithWarning(
    _ request: OperatorRequest, to loaded: ConfigurationFiles.Loaded, queue: QueueChoice?
  ) throws -> Applied {
    do {
      let applied = try apply(request, to: loaded, queue: queue)
      if !applied.isInRunningLogger { loaded.storedFault.map(Console.complain) }
      return applied
    } catch let refusal as LocalCall.Refusal {
      if !refusal.isMisuse, !refusal.isDenied { loaded.storedFault.map(Console.complain) }
      throw refusal
    }
  }

  /// Applies a change. Throws ``LocalCall/Refusal``, also if the address of a destination with a queue changes and `queue`
  /// does not say what happens to the queue.
  static func apply(
    _ request: OperatorRequest, to loaded: ConfigurationFiles.Loaded, queue: QueueChoice?
  ) throws -> Applied {
    let configuration = loaded.configuration
    let faults = loaded.sources.faults(of: request.values, over: loaded.stored.layers)
    guard faults.isEmpty else {
      throw LocalCall.Refusal(
        description: faults.map(\.description).joined(separator: "\n"), isMisuse: true)
    }
    var stored = loaded.stored
    for path in request.unset { stored.operator[path] = nil }
    let forgotten = stored.server.forget(request.unset)
    stored.operator.merge(request.values) { $1 }
    if request.isAboutTracking { stored.tripOverride = nil }
    let next = try? loaded.sources.configuration(stored.layers)
    let moved = next.map(configuration.destinationsMoved) ?? []
    let directory = configuration.storage.directory
    var consequences = forgotten.map { key in
      "\(key.path): removed the value of the server\(key.destination.map { " of \($0)" } ?? ""), which may set it again"
    }
    if let next {
      consequences += QueueChoice.consequences(of: next, after: configuration)
      let known = configuration.warnings(on: .host)
      consequences += next.warnings(on: .host).filter { !known.contains($0) }
      let overridden = Set(configuration.overriddenKeys.map(\.key))
      consequences += next.overriddenKeys.filter { !overridden.contains($0.key) }.map(\.description)
    }
    if queue == nil {
      let waiting = QueueChoice.waiting(moved, in: directory)
      guard waiting.isEmpty else {
        throw LocalCall.Refusal(description: QueueChoice.question(waiting), isMisuse: true)
      }
    }
    let path = "/settings?queue=\((queue ?? .keep).rawValue)"
    if try LocalCall.settings(configuration) != nil,
      try LocalCall.ask(configuration.api.socket, .patch, path, body: Array(request.json.utf8)) != nil
    {
      try waitUntilDurable(configuration.storage.directory) { try LocalCall.settings(configuration) }
      return Applied(isInRunningLogger: true, consequences: consequences)
    }
    do throws(StoreError) {
      try SettingsFile.replace(
        in: directory, with: stored.json, settingAside: loaded.remains, limit: StoredSettings.largest)
    } catch {
      guard case .inUse = error else { throw LocalCall.Refusal(description: "\(error)") }
      throw LocalCall.Refusal(
        description: "\(directory): in use by a logger that does not respond on \(configuration.api.socket); "
          + "enable api.enabled, or stop that logger first")
    }
    if queue == .drop, !moved.isEmpty {
      do { try QueueChoice.drop(moved, configuration.storage) } catch let refusal as LocalCall.Refusal {
        throw LocalCall.Refusal(description: "set, but \(refusal)")
      }
    }
    return Applied(isInRunningLogger: false, consequences: consequences)
  }

  /// Changes settings through the running logger, which knows its own files. Throws
  /// ``LocalCall/Refusal``, and ``LocalCommand/Misconfigured`` if no logger responds.
  static func apply(_ request: OperatorRequest, through socket: LoggerSocket) throws -> Applied {
    guard let answer = try socket.ask(.patch, "/settings?queue=keep", body: Array(request.json.utf8)) else {
      throw LocalCall.Refusal(description: "no logger responds on \(socket.path)")
    }
    try waitUntilDurable("its directory") {
      try LocalCall.ask(socket.path, .get, "/settings").flatMap { SettingsListing(json: $0) }
    }
    return Applied(
      isInRunningLogger: true, consequences: SettingsListing(json: answer)?.warnings ?? [])
  }

  private static func waitUntilDurable(_ directory: String, _ settings: () throws -> SettingsListing?) throws
  {
    let end = SystemClock.moment() + timeout
    while SystemClock.moment() < end {
      let listing = try settings()
      if listing?.isDurable ?? true { return }
      if let trouble = listing?.trouble {
        throw LocalCall.Refusal(description: "set in the running logger, but not saved: \(trouble)")
      }
      LocalWait.briefly()
    }
    throw LocalCall.Refusal(
      description:
        "set in the running logger, but not yet saved in \(directory); check the storage medium with "
        + "outrider status")
  }
}
