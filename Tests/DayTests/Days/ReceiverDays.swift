import DaySupport
import GNSSProtocol
import Quantities
import Records
import Simulation
import Testing

/// Days of a receiver with difficulties: another baud rate, silenced, asleep, a start within a frame, a noisy line.
@Suite struct ReceiverDays {
  /// A round through the city, 15 min after the start of its stationary time.
  static let wait = 1000.0

  static func options(_ change: (inout ModuleOptions) -> Void = { _ in }) -> ModuleOptions {
    var options = ModuleOptions()
    options.firstStart = .hot
    options.route.legs[0].wait = wait
    change(&options)
    return options
  }

  /// The duration of a round in s, including the stationary time.
  static func round(_ route: CityRoute) -> Double {
    var (drive, seconds, hasLeft) = (Drive(route: route), 0.0, false)
    drive.advance(seconds: wait + 1)
    while seconds < 3600 {
      drive.advance(seconds: 1)
      seconds += 1
      let start = route.legs[0].corner
      let here = Coordinate(latitude: drive.state.latitude, longitude: drive.state.longitude)
      let metres = here.map { $0.distance(to: start) } ?? 0
      if metres > 200 { hasLeft = true }
      if hasLeft, metres < 3, drive.state.speed == 0 { break }
    }
    return seconds
  }

  /// Three rounds that each begin stationary, and a stationary end.
  static func live(_ module: DayModule, _ options: ModuleOptions) -> TrackedDay {
    let day = TrackedDay(at: "2026-03-21T10:01:40Z")
    day.usesOwnReceiver = false
    day.add(module)
    // The module's clock has run for 100 s.
    day.stop(.seconds(wait - 100))
    let seconds = round(options.route)
    for _ in 0..<3 {
      day.drive(seconds * 8, at: 8)
      day.stop(.seconds(wait))
    }
    return day
  }

  static func expectThreeRounds(
    _ day: TrackedDay, _ module: DayModule, share: Double = 0.93, error: Double = 30
  ) {
    #expect(day.trips.count == 3, "\(module.notices)")
    for trip in day.trips { #expect((2400...2900).contains(trip.distanceMillimetres / 1000)) }
    #expect(zip(day.points, day.points.dropFirst()).allSatisfy { $0.time < $1.time })
    let motionTime = day.movements.reduce(0.0) { $0 + ($1.upperBound - $1.lowerBound).inSeconds }
    #expect(Double(day.points.count) > share * motionTime, "\(day.points.count) of \(motionTime)")
    let corners = options().route.legs.map(\.corner)
    let middle = corners[corners.count / 2]
    #expect(day.points.allSatisfy { $0.location.coordinate.distance(to: middle) < 1000 + error })
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(stationary: 30..<1000, ofMotion: 0.95...1, starts: 3...16).isEmpty)
  }

  @Test(arguments: [9600, 19_200, 38_400, 57_600, 115_200, 230_400] as [UInt32])
  func aReceiverIsFoundAtAnyBaudRateAndItsDayIsComplete(speed: UInt32) {
    let options = Self.options { $0.savedSpeed = speed }
    let module = DayModule(ReceiverModule(.ublox8, options: options))
    let day = Self.live(module, options)
    Self.expectThreeRounds(day, module)
    #expect(module.provenSpeed == speed, "\(module.notices)")
    #expect(module.slept > .seconds(2800))
  }

  /// The sentences of one second exceed the capacity of the line: no response gets through, so the receiver is only read.
  @Test func aReceiverAt4800BaudIsReadAlthoughItsLineIsSaturated() {
    let options = Self.options { $0.savedSpeed = 4800 }
    let module = DayModule(ReceiverModule(.ublox8, options: options))
    let day = Self.live(module, options)
    #expect(module.provenSpeed == 4800 && day.trips.count == 3)
    #expect(module.notices.contains(.doesNotSleep(.noCommand)) && module.slept == .zero)
    #expect(zip(day.points, day.points.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(day.wrongPower(stationary: 30..<1000, ofMotion: 0.9...1, starts: 1...16).isEmpty)
  }

  @Test func aSilencedReceiverIsReadAsSoonAsItSends() {
    let options = Self.options { $0.faults.mute = .zero..<(.zero + .seconds(400)) }
    let module = DayModule(ReceiverModule(.ublox8, options: options))
    let day = Self.live(module, options)
    Self.expectThreeRounds(day, module)
    #expect(module.slept > .seconds(2400))
  }

  @Test func aReceiverThatOtherSoftwarePutToSleepIsWoken() {
    let options = Self.options()
    var receiver = ReceiverModule(.ublox8, options: options)
    _ = receiver.transmit(until: .zero + .seconds(50), to: 9600)
    // RXM-PMREQ: unlimited backup mode.
    let request: [UInt8] = [0xB5, 0x62, 0x02, 0x41, 0x08, 0x00, 0, 0, 0, 0, 0x02, 0, 0, 0, 0x4D, 0x3B]
    receiver.receive(request, at: 9600, now: .zero + .seconds(50))
    _ = receiver.transmit(until: .zero + .seconds(99), to: 9600)
    #expect(receiver.isAsleep)
    let module = DayModule(receiver)
    let day = Self.live(module, options)
    Self.expectThreeRounds(day, module)
    #expect(module.slept > .seconds(2800))
  }

  @Test(arguments: [1, 37, 200])
  func aLineThatStartsWithinAFrameCostsThatFrame(lost: Int) {
    let options = Self.options()
    let module = DayModule(ReceiverModule(.ublox8, options: options), line: .init(losesFirst: lost))
    Self.expectThreeRounds(Self.live(module, options), module)
    #expect(module.slept > .seconds(2800))
  }

  /// One sentence in a hundred has a changed byte.
  @Test func aDamagedSentenceCostsItsEpochAndCausesNoWrongLocation() {
    let options = Self.options()
    let module = DayModule(
      ReceiverModule(.ublox8, options: options), line: .init(damagesOneIn: 4000))
    Self.expectThreeRounds(Self.live(module, options), module)
    #expect(module.damaged > 12)
  }

  /// NAV-PVT and sentences of the same epochs at 10 Hz, without receiver control.
  @Test func tenHertzOfUBXAndNMEAGiveOneLocationPerEpoch() {
    let options = Self.options { $0.savedSpeed = 115_200 }
    var receiver = ReceiverModule(.ublox8, options: options)
    _ = receiver.transmit(until: .zero + .seconds(50), to: 115_200)
    for request in [
      // CFG-MSG: NAV-PVT with every solution; CFG-RATE: 100 ms.
      [0xB5, 0x62, 0x06, 0x01, 0x03, 0x00, 0x01, 0x07, 0x01, 0x13, 0x51],
      [0xB5, 0x62, 0x06, 0x08, 0x06, 0x00, 0x64, 0x00, 0x01, 0x00, 0x01, 0x00, 0x7A, 0x12],
    ] as [[UInt8]] {
      receiver.receive(request, at: 115_200, now: .zero + .seconds(50))
    }
    let module = DayModule(receiver, control: .none)
    let day = Self.live(module, options)
    #expect(day.trips.count == 3)
    #expect(zip(day.points, day.points.dropFirst()).allSatisfy { $0.time < $1.time })
    // Every epoch is reported once, although it is sent in two protocols.
    let seconds = (day.now - .zero).inSeconds - 100
    #expect((9.0...10.1).contains(Double(module.epochs) / seconds), "\(Double(module.epochs) / seconds)")
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(stationary: 30..<1000, ofMotion: 0.95...1, starts: 3...16).isEmpty)
  }
}
