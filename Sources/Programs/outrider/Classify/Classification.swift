import Motion
import Quantities

/// Classifies one recording, row by row, and writes one line per second in chunks of about 64 KiB.
struct Classification {
  /// Receives the next chunk of the output.
  typealias Sink = ([UInt8]) throws -> Void

  /// The columns of every output.
  static let header = "t_s,label,confidence,steps"
  /// Latest first row in seconds. A recording that starts later begins at the second of that row instead of 0.
  private static let latestStart = 3600.0
  /// Accepted sampling rates, in Hz; slower rows are gaps.
  private static let rates = 0.5...2000.0
  private static let piece = 65_536
  /// The largest plausible interval between rows, in seconds.
  private static let widest = 20.0
  /// The time in seconds for which a label persists without samples.
  private static let persistence: Int64 = 10

  private var classifier: MotionClassifier
  private let explains: Bool
  private let sink: Sink
  private var output: [UInt8] = []
  private var run = TimeRun()
  private var rate: Double?
  private var last: Double?
  /// The newest time of all rows.
  private var newest: Double?
  private var label = "unknown"
  /// Number and sum of the intervals without a gap since the last measurement of the rate.
  private var intervals = 0
  private var elapsed = 0.0
  private var next: Int64?
  /// Called with every result of the classifier.
  var onAnswer: (MotionAnswer) -> Void = { _ in }

  init(table: ActivityTable, explains: Bool, sink: @escaping Sink) {
    classifier = MotionClassifier(table: table)
    self.explains = explains
    self.sink = sink
    var header = Self.header
    if explains { header += "," + MotionExplanation.names.joined(separator: ",") }
    output += Array((header + "\n").utf8)
  }

  mutating func take(_ row: AccelerationTable.Row) throws {
    var rows: [AccelerationTable.Row] = []
    run.take(row) { rows.append($0) }
    for row in rows { try accept(row) }
  }

  mutating func finish() throws {
    var rows: [AccelerationTable.Row] = []
    run.finish { rows.append($0) }
    for row in rows { try accept(row) }
    var answers: [MotionAnswer] = []
    classifier.finish { answers.append($0) }
    for answer in answers { try write(answer) }
    if let next, let newest {
      // The last second may be too short for a result.
      for (age, second) in (next..<max(next, Int64(newest) + 1)).enumerated() {
        try writeRow(
          second, age < Self.persistence ? label : "unknown", .low, steps: classifier.steps, explained: false)
      }
    }
    try sink(output)
    output = []
  }

  /// A summary of the faults of the recording; nil if there are none.
  var complaint: String? {
    let faults = classifier.faults
    let counts: [(UInt64, String)] = [
      (run.leftOut, "rows without a usable time"),
      (faults.unreadable, "invalid samples"),
      (faults.disordered, "samples out of order"), (faults.gaps, "gaps"), (faults.clipped, "clipped samples"),
      (faults.stuckSeconds, "seconds with a stuck sensor"),
    ]
    var words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    if let spacing = run.spacing, spacing > Self.widest {
      words.append("rows are \(spacing) s apart (t_s must be in seconds)")
    }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// A message if the clock was set during the recording and the remaining rows were ignored; nil otherwise.
  var breakingOff: String? {
    run.brokeOffAt.map {
      "the clock was set after t_s \($0), and all later rows are ignored; split the recording there"
    }
  }

  private var firstRate: Double {
    run.spacing.map { min(max(1 / $0, Self.rates.lowerBound), Self.rates.upperBound) } ?? 1
  }

  private mutating func accept(_ row: AccelerationTable.Row) throws {
    newest = max(newest ?? row.time, row.time)
    let rate = rate ?? firstRate
    self.rate = rate
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
    for answer in answers { try write(answer) }
  }

  private mutating func write(_ answer: MotionAnswer) throws {
    onAnswer(answer)
    guard let next else { return }
    let second = answer.second.nanoseconds / 1_000_000_000
    guard second >= next else { return }
    for early in next..<second { try writeRow(early, "unknown", .low, steps: answer.steps, explained: false) }
    let words = MotionStates.words.filter { answer.states.contains($0.state) }.map { "\($0.word)" }
    label = words.isEmpty ? "unknown" : words.joined(separator: ";")
    try writeRow(second, label, answer.confidence, steps: answer.steps, explained: explains)
    self.next = second + 1
  }

  private mutating func writeRow(
    _ second: Int64, _ label: String, _ confidence: MotionConfidence, steps: UInt64, explained: Bool
  ) throws {
    var line = "\(second),\(label),\(confidence.word),\(steps)"
    if explained {
      for value in classifier.explanation.values { line += ",\(value)" }
    } else if explains {
      line += Self.unexplained
    }
    output += Array((line + "\n").utf8)
    if output.count >= Self.piece {
      try sink(output)
      output.removeAll(keepingCapacity: true)
    }
  }

  /// The columns of a second without a result.
  private static let unexplained = String(repeating: ",", count: MotionExplanation.names.count)
}
