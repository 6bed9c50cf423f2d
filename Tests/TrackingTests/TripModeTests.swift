import DaySupport
import Quantities
import Records
import Testing
import Tracking

/// The mode of an automatic trip.
@Suite struct TripModeTests {
  private func day(_ change: (inout TrackerSettings) -> Void) -> Journey {
    var settings = Journey.settings
    settings.trips.mode = .bicycle
    settings.trips.followsMotion = true
    change(&settings)
    return Journey(settings)
  }

  private func drive(_ day: Journey, _ motion: MotionStates, command: TripCommand? = nil) {
    day.stop(400)
    day.drill.handle(.motion(motion))
    day.go(1500, at: 8)
    if let command { day.drill.handle(.trip(command)) }
    day.go(2500, at: 8)
    day.drill.handle(.motion(.stationary))
    day.stop(600)
  }

  @Test(
    arguments: [(.driving, .car), (.cycling, .bicycle), (.running, .run), (.walking, .walk)]
      as [(MotionStates, TripMode)])
  func anAutomaticTripHasTheModeOfItsMotion(motion: MotionStates, mode: TripMode) {
    let day = day { _ in }
    drive(day, motion)
    #expect(day.trips.map(\.mode) == [mode])
  }

  @Test func aConfiguredModeWins() {
    let day = day { $0.trips.followsMotion = false }
    drive(day, .driving)
    #expect(day.trips.map(\.mode) == [.bicycle])
  }

  @Test func aModeByCommandWins() {
    let day = day { _ in }
    drive(day, .driving, command: .mode(.bus))
    #expect(day.trips.map(\.mode) == [.bus])
  }

  @Test func aTripByHandKeepsItsMode() {
    let day = day { $0.trips.isAutomatic = false }
    day.stop(100)
    day.drill.handle(.motion(.driving))
    day.drill.handle(.trip(.start(.boat)))
    day.go(4000, at: 8)
    day.drill.handle(.trip(.stop))
    #expect(day.trips.map(\.mode) == [.boat])
  }
}
