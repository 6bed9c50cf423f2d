import Motion
import Quantities

/// One recording through the classifier, row by row, to one line a second.
struct Classification {
  /// The columns that every output has.
  static let header = "t_s,label,confidence,steps"
  /// Rows from which the rate is first measured.
  private static let trial = 50
  /// A recording does not start later than this by accident; then its own first second is the first.
  private static let latestStart = 3600.0

  /// Seconds; a longer pause is a damaged time.
  private static let longestPause = 86_400.0
  /// Seconds for which an answer holds where nothing was seen.
  private static let persistence: Int64 = 10

  private var classifier: MotionClassifier
  private let explains: Bool
  private(set) var output: [UInt8] = []
  private var waiting: [AccelerationTable.Row] = []
  private var rate: Double?
  private var last: Double?
  /// The latest time of all rows.
  private var newest: Double?
  private var label = "unknown"
  /// Intervals without a gap, and their sum, since the rate was measured.
  private var intervals = 0
  private var elapsed = 0.0
  private var next: Int64?
  /// Called with each answer of the classifier.
  var onAnswer: (MotionAnswer) -> Void = { _ in }
  /// Rows that cannot be used.
  private(set) var badRows = 0

  init(table: ActivityTable, explains: Bool) {
    classifier = MotionClassifier(table: table)
    self.explains = explains
    var header = Self.header
    if explains { header += "," + MotionExplanation.names.joined(separator: ",") }
    output += Array((header + "\n").utf8)
  }

  mutating func take(_ row: AccelerationTable.Row) {
    guard row.time.isFinite, row.time >= 0, row.time < 1e10,
      row.time - (newest ?? row.time) < Self.longestPause
    else {
      badRows += 1
      return
    }
    newest = max(newest ?? row.time, row.time)
    if rate == nil {
      waiting.append(row)
      if waiting.count >= Self.trial { start() }
    } else {
      feed(row)
    }
  }

  mutating func finish() {
    if rate == nil { start() }
    var answers: [MotionAnswer] = []
    classifier.finish { answers.append($0) }
    for answer in answers { write(answer) }
    guard let next, let newest else { return }
    // The last second may have been too short for an answer of its own.
    for (age, second) in (next..<max(next, Int64(newest) + 1)).enumerated() {
      writeRow(
        second, age < Self.persistence ? label : "unknown", .low, steps: classifier.steps, explained: false)
    }
  }

  /// What was wrong with the recording, in words; nil where nothing was.
  var complaint: String? {
    let faults = classifier.faults
    let counts: [(UInt64, String)] = [
      (UInt64(badRows), "rows without a usable time"),
      (faults.unreadable, "samples that are no acceleration"),
      (faults.disordered, "samples out of order"), (faults.gaps, "gaps"), (faults.clipped, "clipped samples"),
      (faults.stuckSeconds, "seconds of one value that is no rest"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// The median of the intervals of the first rows gives the first rate.
  private mutating func start() {
    let times = waiting.map { $0.time }
    let steps = zip(times.dropFirst(), times).map { $0 - $1 }.filter { $0 > 0 }.sorted()
    rate = steps.isEmpty ? 1 : 1 / max(steps[steps.count / 2], 1e-4)
    let rows = waiting
    waiting = []
    for row in rows { feed(row) }
  }

  private mutating func feed(_ row: AccelerationTable.Row) {
    guard let rate else { return }
    if let last, row.time > last, row.time - last < 2.5 / rate {
      intervals += 1
      elapsed += row.time - last
      if intervals >= 200 {
        self.rate = Double(intervals) / elapsed
        (intervals, elapsed) = (0, 0)
      }
    }
    last = row.time
    if next == nil { next = row.time > Self.latestStart ? Int64(row.time) : 0 }
    let moment = Moment(nanoseconds: Int64((row.time * 1e9).rounded()))
    if let speed = row.speed { classifier.take(SpeedReading(speed: speed, at: moment)) }
    var answers: [MotionAnswer] = []
    classifier.take(CollectionOfOne(row.acceleration), first: moment, rate: rate) { answers.append($0) }
    for answer in answers { write(answer) }
  }

  private mutating func write(_ answer: MotionAnswer) {
    onAnswer(answer)
    guard let next else { return }
    let second = answer.second.nanoseconds / 1_000_000_000
    guard second >= next else { return }
    for early in next..<second { writeRow(early, "unknown", .low, steps: answer.steps, explained: false) }
    let words = MotionStates.words.filter { answer.states.contains($0.state) }.map { "\($0.word)" }
    label = words.isEmpty ? "unknown" : words.joined(separator: ";")
    writeRow(second, label, answer.confidence, steps: answer.steps, explained: explains)
    self.next = second + 1
  }

  private mutating func writeRow(
    _ second: Int64, _ label: String, _ confidence: MotionConfidence, steps: UInt64, explained: Bool
  ) {
    var line = "\(second),\(label),\(confidence.word),\(steps)"
    if explained { for value in classifier.explanation.values { line += ",\(value)" } }
    output += Array((line + "\n").utf8)
  }
}
