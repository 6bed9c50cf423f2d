import Quantities

/// A change by the operator that can cut its author off from the device: settings of the local API and the page.
///
/// The new values apply immediately, and ``stored(_:)`` has the previous ones. So a restart or a power cut ends the trial
/// with the previous values, and nothing must be restored after it.
public struct SettingTrial: Equatable, Sendable {
  /// The time for a confirmation.
  public static let duration = Duration.seconds(90)

  /// The result of a confirmation.
  public enum Answer: Equatable, Sendable {
    /// The values are kept.
    case kept
    /// The time has passed: the previous values return.
    case late
    /// The confirmation is for another trial.
    case otherTrial
  }

  /// The name of the trial, which a confirmation must give.
  public let id: String
  /// The moment at which the previous values return without a confirmation.
  public let end: Moment
  /// The operator's previous values by path; an inner nil stands for none.
  private var before: [String: String?] = [:]

  /// Starts a trial of `paths`. `values` are the operator's values before the change.
  public init(id: String, of paths: Set<String>, before values: [String: String], now: Moment) {
    self.id = id
    end = now + Self.duration
    for path in paths { before.updateValue(values[path], forKey: path) }
  }

  /// The paths of the settings on trial, sorted; empty if the operator has decided on all of them in another way.
  public var paths: [String] { before.keys.sorted() }

  /// The paths that a request sets or unsets and that must be on trial.
  public static func paths(of request: OperatorRequest) -> Set<String> {
    Set(request.values.keys).union(request.unset).filter { path in
      groups.contains { path.hasPrefix($0) }
    }
  }

  private static let groups = ["api.", "page."]

  /// The reason why nobody could confirm a request, with the remedy; nil if somebody can.
  public static func objection(to request: OperatorRequest) -> String? {
    guard request.values[Schema.apiEnabled.path] == "false" else { return nil }
    return "api.enabled: without the local API nobody can confirm the change; use outrider set on the device"
  }

  /// The trial at a moment.
  public func progress(now: Moment) -> Progress {
    Progress(id: id, paths: paths, left: max(end - now, .zero))
  }

  /// The answer to a confirmation.
  public func answer(to id: String, now: Moment) -> Answer {
    guard id == self.id else { return .otherTrial }
    return now < end ? .kept : .late
  }

  /// Ends the trial of settings that the operator has set in another way. Returns true if one of them was on trial.
  public mutating func leave(_ paths: Set<String>) -> Bool {
    let left = before.keys.filter(paths.contains)
    for path in left { before.removeValue(forKey: path) }
    return !left.isEmpty
  }

  /// The operator's values with the previous ones of the settings on trial: what is stored meanwhile, and what applies after
  /// a trial without a confirmation.
  public func stored(_ values: [String: String]) -> [String: String] {
    var stored = values
    for (path, value) in before { stored[path] = value }
    return stored
  }
}

extension SettingTrial {
  /// A trial as the local API shows it.
  public struct Progress: Equatable, Sendable {
    public let id: String
    public let paths: [String]
    /// The time to the return of the previous values.
    public let left: Duration

    var json: String {
      let keys = JSONValue.list(paths.map(JSONValue.text)).json
      return
        #"{"id": \#(JSONValue.text(id).json), "keys": \#(keys), "goes_back_in_s": \#(left.wholeSeconds)}"#
    }
  }
}
