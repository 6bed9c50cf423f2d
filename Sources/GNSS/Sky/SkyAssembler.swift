import Quantities

/// Assembles the satellites in view of one epoch: GSV groups with the lists of GSA, or one NAV-SAT
/// (NAV-SVINFO).
///
/// Sentences with satellites carry no time. The set is complete in three cases: a sentence of another time
/// arrives, a group or the lists begin again after a sentence with a time, or there is silence. NAV-SAT and
/// NAV-SVINFO are complete by themselves; after the first of them the sentences are ignored.
struct SkyAssembler: Sendable {
  /// The current satellites.
  private var sky = Sky()
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
  var isOpen: Bool { !sky.satellites.isEmpty }

  /// Processes a sentence with a time; nil if the receiver knows none.
  mutating func take(_ newTime: EpochTime?, _ emit: (Sky) -> Void) {
    if let time, let newTime, !time.isSameInstant(as: newTime) { complete(emit) }
    time = newTime ?? time
    isTimeBehindGroups = !groups.isEmpty
    isTimeBehindUsed = !used.isEmpty
  }

  mutating func take(_ sentence: GSV, _ emit: (Sky) -> Void) {
    guard !hasBinary else { return }
    if isTimeBehindGroups, sentence.number == 1, groups.contains(sentence.group) { complete(emit) }
    if groups.count < Self.most { groups.append(sentence.group) }
    isTimeBehindGroups = false
    var sentence = sentence
    while let satellite = sentence.next() { sky.add(satellite) }
  }

  mutating func take(_ sentence: UsedSatellites, _ emit: (Sky) -> Void) {
    guard !hasBinary else { return }
    if isTimeBehindUsed { complete(emit) }
    sky.positionDilution = sky.positionDilution ?? sentence.positionDilution
    sky.horizontalDilution = sky.horizontalDilution ?? sentence.horizontalDilution
    sky.verticalDilution = sky.verticalDilution ?? sentence.verticalDilution
    var sentence = sentence
    while let id = sentence.next() {
      if used.count < Self.most, !used.contains(id) { used.append(id) }
    }
  }

  /// Processes a NAV-SAT; `time` is that of its iTOW, nil if unknown.
  mutating func take(_ message: NavSAT, time: EpochTime?, dilutions: NavDOP?, _ emit: (Sky) -> Void) {
    beginBinary(at: time, dilutions: dilutions)
    for index in 0..<message.numSvs {
      if let satellite = message.satellite(index) { sky.add(satellite) }
    }
    complete(emit)
  }

  mutating func take(_ message: NavSVINFO, time: EpochTime?, dilutions: NavDOP?, _ emit: (Sky) -> Void) {
    beginBinary(at: time, dilutions: dilutions)
    for index in 0..<message.numCh {
      if let satellite = message.satellite(index) { sky.add(satellite) }
    }
    complete(emit)
  }

  /// Completes the satellites after silence.
  mutating func closeForSilence(_ emit: (Sky) -> Void) { complete(emit) }

  /// Discards everything after the line was opened again.
  mutating func reset() {
    forget()
    hasBinary = false
  }

  private mutating func beginBinary(at time: EpochTime?, dilutions: NavDOP?) {
    forget()
    hasBinary = true
    self.time = time
    sky.positionDilution = dilutions?.pDOP
    sky.horizontalDilution = dilutions?.hDOP
    sky.verticalDilution = dilutions?.vDOP
  }

  private mutating func complete(_ emit: (Sky) -> Void) {
    if isOpen {
      sky.mark(used: used)
      sky.millisecondOfDay = time?.millisecond
      emit(sky)
    }
    forget()
  }

  private mutating func forget() {
    sky.clear()
    used.removeAll(keepingCapacity: true)
    groups.removeAll(keepingCapacity: true)
    time = nil
    isTimeBehindGroups = false
    isTimeBehindUsed = false
  }
}
