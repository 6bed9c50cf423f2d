import Quantities
@testable import Replay

/// A recording assembled in code.
struct MadeUpDay {
  private(set) var rows: [RecordedTrack.Row]
  private var time: Double
  private var position: GeoPoint

  init(at latitude: Double = 52, _ longitude: Double = 13) {
    time = 1_700_000_000
    position = GeoPoint(latitude: latitude, longitude: longitude)
    rows = []
    add(reception: true)
  }

  var track: RecordedTrack { RecordedTrack(rows: rows) }
  func replay(seed: UInt64 = 1) -> DayReplay { DayReplay(Day(track), seed: seed) }

  func stop(_ seconds: Int, reception: Bool = true) -> MadeUpDay {
    move(seconds, speed: 0, reception: reception)
  }

  /// `course` in degrees is the direction, `turn` its change per second.
  func move(
    _ seconds: Int, speed: Double, course: Double = 0, turn: Double = 0, reception: Bool = true
  ) -> MadeUpDay {
    var day = self
    for second in 0..<seconds {
      let angle = (course + turn * Double(second)) * Double.pi / 180
      day.time += 1
      day.position = day.position.moved(north: speed * Self.cosine(angle), east: speed * Self.sine(angle))
      if day.position.longitude > 180 { day.position.longitude -= 360 }
      day.add(reception: reception)
    }
    return day
  }

  /// Leaves a gap of `seconds`, after which the recording continues the given metres to the north.
  func hole(_ seconds: Int, metres: Double) -> MadeUpDay {
    var day = self
    day.time += Double(seconds)
    day.position = day.position.moved(north: metres, east: 0)
    day.add(reception: true)
    return day
  }

  private mutating func add(reception: Bool) {
    rows.append(RecordedTrack.Row(time: time, position: position, hasReception: reception))
  }

  private static func sine(_ angle: Double) -> Double { cosine(angle - Double.pi / 2) }
  private static func cosine(_ angle: Double) -> Double {
    // A series, because this file imports no C library.
    var x = angle.remainder(dividingBy: 2 * Double.pi)
    x *= x
    var (sum, term) = (1.0, 1.0)
    for n in 1...14 {
      term *= -x / Double((2 * n - 1) * (2 * n))
      sum += term
    }
    return sum
  }

  /// Drives, walks, stops, tunnels and gaps at random.
  static func random(_ seed: UInt64) -> MadeUpDay {
    var random = SplitMix64(seed: seed)
    var day = MadeUpDay()
    for _ in 0..<25 {
      let course = Double.random(in: 0..<360, using: &random)
      let turn = Double.random(in: -2...2, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: day = day.stop(Int.random(in: 20...3000, using: &random))
      case 2: day = day.move(Int.random(in: 60...900, using: &random), speed: 1.4, course: course, turn: turn)
      case 3:
        let speed = Double.random(in: 3...35, using: &random)
        day = day.move(Int.random(in: 30...1200, using: &random), speed: speed, course: course, turn: turn)
      case 4:
        day = day.move(Int.random(in: 10...400, using: &random), speed: 15, course: course, reception: false)
      default:
        let metres = Bool.random(using: &random) ? 20.0 : 3000
        day = day.hole(Int.random(in: 61...4000, using: &random), metres: metres)
      }
    }
    return day
  }
}
