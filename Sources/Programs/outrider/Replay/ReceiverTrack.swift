import GNSSProtocol
import Quantities
import Replay
import Simulation
import System
import Tracking

/// Reads a track from a receiver recording, chunk by chunk.
struct ReceiverTrack {
  /// The recording has no dated fix.
  struct NoPosition: Error, CustomStringConvertible {
    var epochs: Int
    var description: String {
      "\(StatusText.counted(epochs, "epoch")) without a dated fix; inspect the file with outrider decode --summary"
    }
  }

  private var decoder = ReceiverDecoder()
  private var reading = TrackReading()
  private var epochs = 0
  private var positions = 0
  private let latest = SystemClock.timestamp()

  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(TrackError) {
    var fixes: [Fix] = []
    decoder.decode(bytes, at: .zero) { if case .epoch(let fix) = $0 { fixes.append(fix) } }
    for fix in fixes { try take(fix) }
  }

  mutating func finish() throws -> RecordedTrack {
    var fixes: [Fix] = []
    decoder.finish { if case .epoch(let fix) = $0 { fixes.append(fix) } }
    for fix in fixes { try take(fix) }
    guard positions > 0 else { throw NoPosition(epochs: epochs) }
    return try reading.finish()
  }

  private mutating func take(_ fix: Fix) throws(TrackError) {
    epochs += 1
    guard fix.kind != .none, let latitude = fix.latitude, let longitude = fix.longitude,
      let time = fix.timestamp.map({ WeekRollover.repair($0, latest: latest) })
    else { return }
    positions += 1
    try reading.take(
      RecordedTrack.Fix(time: Double(time.milliseconds) / 1000, latitude: latitude, longitude: longitude))
  }
}
