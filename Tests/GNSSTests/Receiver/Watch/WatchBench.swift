import GNSSProtocol
import GNSSReceiver
import Quantities
import Testing

/// A monitor on a simulated clock of whole seconds; records the requested actions with their times.
struct WatchBench {
  var watch: ReceiverWatch
  var now = Moment.zero
  private(set) var actions: [(at: Int64, action: WatchAction)] = []

  init(mayWrite: Bool = true, canCyclePower: Bool = true) {
    watch = ReceiverWatch(mayWrite: mayWrite, canCyclePower: canCyclePower, now: .zero)
  }

  var second: Int64 { now.nanoseconds / 1_000_000_000 }

  /// The actions requested since the last call.
  mutating func taken() -> [WatchAction] {
    defer { actions = [] }
    return actions.map(\.action)
  }

  mutating func handle(_ input: WatchInput) { keep(watch.handle(input, now: now)) }

  /// Advances the clock; deadlines on the way are served.
  mutating func pass(seconds: Int64) {
    let end = now + .seconds(seconds)
    var timeouts = 0
    while let next = watch.nextTimeout, next <= end {
      timeouts += 1
      guard timeouts < 1000 else {
        Issue.record("deadlines without end at \(second) s")
        break
      }
      now = max(next, now)
      keep(watch.handleTimeout(now: now))
    }
    now = end
  }

  /// Runs `count` seconds of a healthy line, each with the fix that `make` returns for the second.
  mutating func run(_ count: Int, _ make: (Int64) -> Fix) {
    for _ in 0..<count {
      pass(seconds: 1)
      handle(.received(bytes: 300, frames: 4))
      handle(.epoch(make(second)))
    }
  }

  private mutating func keep(_ requested: [WatchAction]) {
    actions += requested.map { (second, $0) }
    if let next = watch.nextTimeout { #expect(next > now, "a deadline must be in the future") }
  }
}

/// A fix in motion at `second`, 3 m further north each second.
func movingFix(_ second: Int64) -> Fix {
  var fix = Fix()
  fix.kind = .threeDimensional
  fix.timestamp = Timestamp(milliseconds: 1_700_000_000_000 + second * 1000)
  fix.millisecondOfDay = Int32(second * 1000 % 86_400_000)
  fix.latitude = 50 + Double(second) * 2.7e-5
  fix.longitude = 8
  fix.speed = 3
  return fix
}

/// A fix that is unchanged to the last bit at standstill.
func parkedFix(_ second: Int64) -> Fix {
  var fix = movingFix(second)
  fix.latitude = 50
  fix.speed = 0.05
  return fix
}

func noFix(_ second: Int64) -> Fix {
  var fix = Fix()
  fix.millisecondOfDay = Int32(second * 1000 % 86_400_000)
  return fix
}
