import Quantities
import Records
import Testing
import Scheduling

/// Another network as a hint that the device was moved.
@Suite struct NetworkHintTests {
  private static func second(_ second: Int64) -> Moment { Moment(nanoseconds: second * 1_000_000_000) }

  /// Networks by the second, "" for none; the device is stationary from 100. Returns those that were hints.
  private static func hints(_ script: [(at: Int64, name: String)], start: Int64? = 100) -> [String] {
    var hint = NetworkHint()
    return script.compactMap { at, name in
      let network =
        name.isEmpty ? nil : JoinedNetwork(name: name, accessPoint: "02:00:00:00:00:\(at % 90 + 10)")
      let stationarySince = start.flatMap { at >= $0 ? second($0) : nil }
      return hint.take(network, stationarySince: stationarySince, now: second(at)).map { "\($0)>\(name)" }
    }
  }

  static let scripts: [(script: [(at: Int64, name: String)], hints: [String])] = [
    // The first one proves nothing, and the arrival explains the next.
    ([(200, "home")], []), ([(10, "home"), (50, ""), (200, "work")], []),
    // Lost, or left for another, while stationary.
    ([(10, "home"), (200, "work")], ["home>work"]),
    ([(10, "home"), (200, ""), (300, "work")], ["home>work"]),
    ([(150, "home"), (200, "work")], ["home>work"]),
    // Roaming, loss and return.
    ([(150, "home"), (200, "home"), (250, "home")], []), ([(150, "home"), (200, ""), (900, "home")], []),
    // Two networks of one location.
    (
      [(150, "home"), (200, "guest"), (300, "home"), (400, "guest"), (500, ""), (600, "home")], ["home>guest"]
    ),
    ([(150, "a"), (200, "b"), (300, "c"), (400, "a")], ["a>b", "b>c"]),
  ]

  @Test(arguments: scripts.indices)
  func aNewNetworkNameWhileStationaryIsAHint(_ index: Int) {
    #expect(Self.hints(Self.scripts[index].script) == Self.scripts[index].hints)
    #expect(Self.hints(Self.scripts[index].script, start: nil).isEmpty, "the device moves")
  }

  private static func stationary() -> ScheduledDay {
    let day = ScheduledDay(.high)
    day.pass(400)
    day.handle(.network(JoinedNetwork(name: "home", accessPoint: nil)))
    day.pass(100)
    return day
  }

  private static func join(_ name: String?, _ day: ScheduledDay) {
    day.handle(.network(name.map { JoinedNetwork(name: $0, accessPoint: nil) }))
  }

  @Test func aHintCausesOneEarlyPositionCheckWithAReason() throws {
    let day = Self.stationary()
    #expect(day.state == .backup)
    Self.join("work", day)
    #expect(day.state == .searching)
    let why = try #require(day.drill.events.last { $0.kind == .receiverAsleep })
    #expect(why.fields.text(.network) == "work" && why.fields.text(.previousNetwork) == "home")
    day.pass(60)
    #expect(day.state == .backup, "the device had not moved")
    let orders = day.orders
    Self.join("home", day)
    Self.join("work", day)
    Self.join("cafe", day)
    #expect(day.orders == orders && day.state == .backup, "not twice within minutes")
    day.pass(300)
    Self.join("station", day)
    #expect(day.state == .searching)
  }

  @Test func aHintFindsADeviceThatWasMovedUnnoticed() {
    let day = Self.stationary()
    let before = day.drill.locations.count
    day.speed = 10
    day.pass(120)
    #expect(day.state == .backup, "no sensor detected the move")
    Self.join("train", day)
    day.pass(60)
    #expect(day.state.isPowered && day.drill.locations.count > before + 30)
  }

  @Test func withoutAScheduleAHintHasNoEffect() {
    let day = ScheduledDay(nil)
    Self.join("home", day)
    Self.join("work", day)
    #expect(day.orders == 0)
  }
}
