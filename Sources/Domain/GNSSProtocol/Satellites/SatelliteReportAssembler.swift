import Quantities

/// Assembles the satellites in view of one epoch: GSV groups with the lists of GSA, or one NAV-SAT
/// (NAV-SVINFO).
///
/// Sentences with satellites carry no time. The set is complete in three cases: a sentence of another time
/// arrives, a group or the lists begin again after a sentence with a time, or there is silence. NAV-SAT and
/// NAV-SVINFO are complete by themselves; after the first of them the sentences are ignored.
struct SatelliteReportAssembler: Sendable {
  /// The current satellites.
  private var satelliteReport = SatelliteReport()
  private var used: [SatelliteID] = []
  /// The groups that have begun, talker and signal in one value.
  private var groups: [UInt8] = []
  private var time: EpochTime?
  private var isTimeBehindGroups = false
  private var isTimeBehindUsed = false
  private var hasBinary = false

  /// Maximum number of satellites in GSA, and of groups, per epoch.
  private static let most = 128

  init() {
    used.reserveCapacity(Self.most)
    groups.reserveCapacity(Self.most)
  }

  /// True if satellites wait for the end of their epoch.
  var isOpen: Bool { !satelliteReport.satellites.isEmpty }

  /// The time of the satellites that wait; nil without satellites, or if no sentence had a time.
  var openTime: EpochTime? { isOpen ? time : nil }

  /// True if a sentence with this time completes the satellites.
  func isCompleted(by newTime: EpochTime?) -> Bool {
    guard let time, let newTime else { return false }
    return !time.isSameInstant(as: newTime)
  }

  /// True if a group completes the satellites.
  func isCompleted(by sentence: GSV) -> Bool {
    !hasBinary && isTimeBehindGroups && sentence.number == 1 && groups.contains(sentence.group)
  }

  /// True if a list of used satellites completes the satellites.
  func isCompleted(by sentence: UsedSatellites) -> Bool { !hasBinary && isTimeBehindUsed }

  /// Processes a sentence with a time; nil if the receiver knows none.
  mutating func take(_ newTime: EpochTime?, _ emit: (SatelliteReport) -> Void) {
    if isCompleted(by: newTime) { complete(emit) }
    time = newTime ?? time
    isTimeBehindGroups = !groups.isEmpty
    isTimeBehindUsed = !used.isEmpty
  }

  mutating func take(_ sentence: GSV, _ emit: (SatelliteReport) -> Void) {
    guard !hasBinary else { return }
    if isCompleted(by: sentence) { complete(emit) }
    if groups.count < Self.most { groups.append(sentence.group) }
    isTimeBehindGroups = false
    var sentence = sentence
    while let satellite = sentence.next() { satelliteReport.add(satellite) }
  }

  mutating func take(_ sentence: UsedSatellites, _ emit: (SatelliteReport) -> Void) {
    guard !hasBinary else { return }
    if isCompleted(by: sentence) { complete(emit) }
    satelliteReport.positionDilution = satelliteReport.positionDilution ?? sentence.positionDilution
    satelliteReport.horizontalDilution = satelliteReport.horizontalDilution ?? sentence.horizontalDilution
    satelliteReport.verticalDilution = satelliteReport.verticalDilution ?? sentence.verticalDilution
    var sentence = sentence
    while let id = sentence.next() {
      if used.count < Self.most, !used.contains(id) { used.append(id) }
    }
  }

  /// Processes a NAV-SAT; `time` is that of its iTOW, nil if unknown.
  mutating func take(
    _ message: NavSAT, time: EpochTime?, dilutions: NavDOP?, _ emit: (SatelliteReport) -> Void
  ) {
    beginBinary(at: time, dilutions: dilutions)
    for index in 0..<message.numSvs {
      if let satellite = message.satellite(index) { satelliteReport.add(satellite) }
    }
    complete(emit)
  }

  mutating func take(
    _ message: NavSVINFO, time: EpochTime?, dilutions: NavDOP?, _ emit: (SatelliteReport) -> Void
  ) {
    beginBinary(at: time, dilutions: dilutions)
    for index in 0..<message.numCh {
      if let satellite = message.satellite(index) { satelliteReport.add(satellite) }
    }
    complete(emit)
  }

  /// Completes the satellites after silence.
  mutating func closeForSilence(_ emit: (SatelliteReport) -> Void) { complete(emit) }

  /// Discards everything after the line was opened again.
  mutating func reset() {
    forget()
    hasBinary = false
  }

  private mutating func beginBinary(at time: EpochTime?, dilutions: NavDOP?) {
    forget()
    hasBinary = true
    self.time = time
    satelliteReport.positionDilution = dilutions?.pDOP
    satelliteReport.horizontalDilution = dilutions?.hDOP
    satelliteReport.verticalDilution = dilutions?.vDOP
  }

  private mutating func complete(_ emit: (SatelliteReport) -> Void) {
    if isOpen {
      satelliteReport.mark(used: used)
      satelliteReport.millisecondOfDay = time?.millisecond
      emit(satelliteReport)
    }
    forget()
  }

  private mutating func forget() {
    satelliteReport.clear()
    used.removeAll(keepingCapacity: true)
    groups.removeAll(keepingCapacity: true)
    time = nil
    isTimeBehindGroups = false
    isTimeBehindUsed = false
  }
}
