import Quantities

import Devices

/// A serial line on a simulated clock: a receiver sends bursts, the UART delivers them in pieces, and a
/// ``BurstPacing`` decides when to read.
struct ModelLine {
  /// The output of a receiver.
  struct Receiver {
    /// Seconds between two epochs, by the receiver's own clock.
    var interval = 1.0
    var bytes = 500
    /// Fraction of the burst after which the epoch is complete; nil without a time, when no epoch is closed.
    var closesAt: Double? = 1
    var baud = 9600.0
    /// Maximum deviation in seconds in either direction.
    var jitter = 0.0
    /// Drift of the receiver's clock in ppm; positive is slow.
    var drift = 0.0
    /// Number of epochs of which one is missing; nil for none.
    var missesOneIn: Int?
  }

  private struct Piece {
    var arrival: Double
    var bytes: Int
    var closesEpoch: Bool
  }

  /// Observations over a span of time.
  struct Tally {
    var epochs = 0
    var wakeups = 0
    /// Seconds from the last byte of an epoch to the reading that closed it.
    var latencies: [Double] = []
    var mostUnread = 0
    /// Seconds between the computed and the true end of collected epochs.
    var completionErrors: [Double] = []

    var wakeupsPerEpoch: Double { Double(wakeups) / Double(max(epochs, 1)) }
    var largestLatency: Double { latencies.max() ?? 0 }
  }

  /// Bytes that the UART delivers at once.
  static let pieceBytes = 16
  /// Maximum seconds from a deadline or an arrival until the loop runs.
  static let wakeDelay = 0.002

  private(set) var pacing = BurstPacing()
  private var random: SplitMix64
  private var nextRead = BurstPacing.NextRead.watch
  private var pieces: [Piece] = []
  private var nextPiece = 0
  private var nextEpoch = 1.0
  /// The time at which the line is free for the next byte.
  private var lineFree = 0.0
  private(set) var now = 0.0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func setLatencyBudget(seconds: Double) {
    if let changed = pacing.setLatencyBudget(.seconds(seconds), now: moment) { nextRead = changed }
  }

  private var moment: Moment { Moment(nanoseconds: Int64(now * 1e9)) }

  /// Pauses the receiver's output.
  mutating func silence(seconds: Double) { nextEpoch += seconds }

  /// Delays the execution of the present plan: a phase shift of the receiver, or a blocked loop.
  mutating func stall(seconds: Double) {
    guard case .sleep(let until) = nextRead else { return }
    nextRead = .sleep(until: until + .seconds(seconds))
  }

  /// Runs the receiver for `seconds` and returns the observations.
  mutating func run(_ receiver: Receiver, seconds: Double) -> Tally {
    var tally = Tally()
    let end = now + seconds
    while true {
      while nextEpoch < (wake ?? nextEpoch) + 1, nextEpoch < end + 1 { send(receiver) }
      guard let wake, wake < end else { break }
      now = max(now, wake + Double.random(in: 0...Self.wakeDelay, using: &random))
      read(&tally)
    }
    now = max(now, end)
    return tally
  }

  /// Time of the next wake-up of the loop; nil if there is none.
  private var wake: Double? {
    switch nextRead {
    case .watch: nextPiece < pieces.count ? pieces[nextPiece].arrival : nil
    case .sleep(let until): Double(until.nanoseconds) / 1e9
    }
  }

  private mutating func send(_ receiver: Receiver) {
    defer { nextEpoch += receiver.interval * (1 + receiver.drift * 1e-6) }
    if let one = receiver.missesOneIn, Int.random(in: 0..<one, using: &random) == 0 { return }
    let jitter =
      receiver.jitter > 0 ? Double.random(in: -receiver.jitter...receiver.jitter, using: &random) : 0
    var moment = max(nextEpoch + jitter, lineFree)
    let closing = receiver.closesAt.map { Int((Double(receiver.bytes) * $0).rounded()) }
    var sent = 0
    while sent < receiver.bytes {
      let piece = min(Self.pieceBytes, receiver.bytes - sent)
      moment += Double(piece) * 10 / receiver.baud
      let closes = closing.map { sent < $0 && $0 <= sent + piece } ?? false
      pieces.append(Piece(arrival: moment, bytes: piece, closesEpoch: closes))
      sent += piece
    }
    lineFree = moment
  }

  private mutating func read(_ tally: inout Tally) {
    var drain = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
    var completed: Double?
    while nextPiece < pieces.count, pieces[nextPiece].arrival <= now {
      let piece = pieces[nextPiece]
      nextPiece += 1
      drain.bytes += piece.bytes
      if piece.closesEpoch {
        drain.closedEpochs += 1
        completed = piece.arrival
        tally.latencies.append(now - piece.arrival)
      }
    }
    if nextPiece > 100_000 {
      pieces.removeFirst(nextPiece)
      nextPiece = 0
    }
    tally.wakeups += 1
    tally.epochs += drain.closedEpochs
    tally.mostUnread = max(tally.mostUnread, drain.bytes)
    if pacing.isCoalescing, let completed {
      let completion = pacing.completion(ofLast: drain.closedEpochs, now: moment)
      tally.completionErrors.append(Double(completion.nanoseconds) / 1e9 - completed)
    }
    nextRead = pacing.drained(drain, now: moment)
  }
}
