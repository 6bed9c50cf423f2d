import Quantities

/// Recording rules by condition, in the order of evaluation. If no condition holds, the ordinary rules of the tracker
/// apply.
public struct ProfileRules: Equatable, Sendable {
  /// The rules of one condition.
  public struct Entry: Equatable, Sendable {
    public var profile: ProfileCondition
    public var rules: AcquisitionRules

    public init(_ profile: ProfileCondition, _ rules: AcquisitionRules) {
      self.profile = profile
      self.rules = rules
    }
  }

  /// The entries, at most one per condition. The first entry whose condition holds applies.
  public private(set) var entries: [Entry]

  /// Creates rules. If two entries have the same condition, the first applies.
  public init(_ entries: [Entry] = []) {
    self.entries = []
    for entry in entries where self[entry.profile] == nil { self.entries.append(entry) }
  }

  /// Creates the entries in the order of ``ProfileCondition``.
  public init(_ rules: [ProfileCondition: AcquisitionRules]) {
    entries = ProfileCondition.allCases.compactMap { profile in rules[profile].map { Entry(profile, $0) } }
  }

  public var isEmpty: Bool { entries.isEmpty }

  /// The rules of a condition. A new entry is added at the end.
  public subscript(profile: ProfileCondition) -> AcquisitionRules? {
    get { entries.first { $0.profile == profile }?.rules }
    set {
      guard let index = entries.firstIndex(where: { $0.profile == profile }) else {
        if let newValue { entries.append(Entry(profile, newValue)) }
        return
      }
      if let newValue { entries[index].rules = newValue } else { entries.remove(at: index) }
    }
  }

  /// Returns the rules with an entry for trips, before the entries that apply in and out of trips alike; unchanged if
  /// there is one already.
  public func inTrips(_ rules: AcquisitionRules) -> ProfileRules {
    guard self[.trip] == nil else { return self }
    var all = self
    let index = entries.firstIndex { [.moving, .stop, .always].contains($0.profile) } ?? entries.endIndex
    all.entries.insert(Entry(.trip, rules), at: index)
    return all
  }

  /// The profile in effect under the present conditions.
  func active(_ conditions: Set<ProfileCondition>) -> ProfileCondition? {
    entries.first { conditions.contains($0.profile) }?.profile
  }
}
