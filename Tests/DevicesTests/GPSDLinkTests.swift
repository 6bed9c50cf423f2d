import Quantities
import Testing

@testable import Devices

@Suite struct GPSDLinkTests {
  /// Runs the link on a simulated clock and records its actions, with the time in seconds.
  struct Bench {
    var now = Moment.zero + .seconds(1000)
    var link = GPSDLink()
    var log: [String] = []

    init() { record(link.start(now: now)) }

    mutating func advance(_ step: Duration) {
      let end = now + step
      while let timeout = link.nextTimeout, timeout <= end {
        now = max(now, timeout)
        record(link.handleTimeout(now: now))
      }
      now = end
    }

    mutating func send(_ events: GPSDLink.Event...) {
      for event in events { record(link.handle(event, now: now)) }
    }

    /// Lets every attempt fail until `end`.
    mutating func fail(until end: Duration, _ failure: GPSDFailure = .unreachable) {
      let last = Moment.zero + .seconds(1000) + end
      while now < last {
        send(.failed(failure))
        guard let timeout = link.nextTimeout, timeout <= last else { break }
        advance(timeout - now)
      }
    }

    private mutating func record(_ actions: [GPSDLink.Action]) {
      let seconds = (now - (Moment.zero + .seconds(1000))).inSeconds
      log += actions.map { "\(seconds) \(Self.text(for: $0))" }
    }

    private static func text(for action: GPSDLink.Action) -> String {
      switch action {
      case .open: "open"
      case .close: "close"
      case .report(.found): "found"
      case .report(.recovered): "speaking"
      case .report(.lost(let failure)): "lost: \(failure)"
      case .report(.silent(let seconds)): "silent for \(seconds) s"
      }
    }

    /// The actions without their times.
    var asked: [String] { log.map { $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "" } }
  }

  @Test func aRefusedConnectionIsReportedOnceAndRetriedWithBackOff() {
    var bench = Bench()
    bench.fail(until: .seconds(61))
    #expect(
      bench.log == [
        "0.0 open", "0.0 lost: cannot connect", "0.5 open",
        "1.5 open", "3.5 open", "7.5 open", "15.5 open", "30.5 open", "45.5 open", "60.5 open",
      ])
  }

  @Test func aHangingAttemptIsReportedOnceAndNotRepeated() {
    var bench = Bench()
    bench.advance(.seconds(3600))
    #expect(
      bench.log == [
        "0.0 open", "30.0 lost: no answer",
      ])
    #expect(bench.link.nextTimeout == nil)
    bench.send(.failed(.unreachable))
    bench.advance(.milliseconds(500))
    #expect(bench.asked.suffix(1) == ["open"])
    #expect(bench.log.count == 3)
  }

  @Test func aReceiverWithDataIsReportedOnce() {
    var bench = Bench()
    bench.send(.opened)
    for _ in 0..<100 {
      bench.advance(.seconds(10))
      bench.send(.received)
    }
    #expect(bench.log == ["0.0 open", "10.0 found"])
  }

  @Test func silenceIsReportedOnceAndTheConnectionRenewed() {
    var bench = Bench()
    bench.send(.opened, .received)
    bench.advance(.milliseconds(30_500))
    bench.send(.opened)
    bench.advance(.seconds(31))
    bench.send(.opened)
    bench.advance(.seconds(32))
    #expect(
      bench.log == [
        "0.0 open", "0.0 found", "30.0 close",
        "30.0 silent for 30 s", "30.5 open", "60.5 close", "61.5 open",
        "91.5 close", "93.5 open",
      ])
    bench.send(.opened, .received, .received)
    #expect(bench.asked.suffix(1) == ["speaking"])
  }

  @Test func aRestartOfGpsdIsReportedOnceAtItsStartAndEnd() {
    var bench = Bench()
    bench.send(.opened, .received, .failed(.ended))
    bench.advance(.milliseconds(500))
    bench.send(.failed(.unreachable))
    bench.advance(.seconds(1))
    bench.send(.opened, .received)
    #expect(
      bench.asked == [
        "open", "found", "close",
        "lost: gpsd ended the connection", "open", "open",
        "speaking",
      ])
  }

  @Test func theBackOffGrowsUntilAConnectionIsStable() {
    var bench = Bench()
    bench.send(.opened, .received)
    for pause in [500, 1000, 2000, 4000, 8000, 15_000, 15_000] {
      bench.advance(.seconds(1))
      bench.send(.failed(.ended))
      #expect(bench.link.phase == .pausing(until: bench.now + .milliseconds(pause)))
      bench.advance(.milliseconds(pause))
      bench.send(.opened, .received)
    }
    bench.advance(.seconds(10))
    bench.send(.received, .deviceGone(path: "/dev/x"))
    #expect(bench.link.phase == .pausing(until: bench.now + .milliseconds(500)))
  }

  @Test func aGpsdThatComesBackWithoutItsReceiverIsSilent() {
    var bench = Bench()
    bench.send(.opened, .received, .deviceGone(path: "/dev/x"))
    bench.advance(.milliseconds(500))
    bench.send(.opened)
    bench.advance(.seconds(30))
    #expect(
      bench.asked == [
        "open", "found", "close",
        "lost: gpsd lost the receiver /dev/x", "open", "close",
        "silent for 30 s",
      ])
  }

  /// Random events: an attempt begins only if none is in progress and no connection is open.
  @Test(arguments: 0..<64 as Range<UInt64>)
  func thereIsNeverMoreThanOneAttemptOrConnection(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var bench = Bench()
    var isOpening = true
    var isOpen = false
    var seen = bench.log.count
    var (opened, closed) = (0, 0)
    for _ in 0..<300 {
      let event: GPSDLink.Event? =
        switch Int.random(in: 0..<6, using: &random) {
        case 0: isOpening ? .opened : nil
        case 1: isOpening || isOpen ? .failed(.ended) : nil
        case 2: isOpen ? .received : nil
        case 3: isOpen ? .deviceGone(path: "x") : nil
        case _: nil
        }
      if let event {
        if event == .opened { (isOpening, isOpen) = (false, true) }
        if case .failed = event, isOpening { isOpening = false }
        bench.send(event)
      } else if let timeout = bench.link.nextTimeout {
        bench.advance(timeout - bench.now)
      }
      for action in bench.asked.dropFirst(seen) {
        if action == "open" {
          #expect(!isOpening && !isOpen)
          isOpening = true
          opened += 1
        } else if action == "close" {
          #expect(isOpen)
          isOpen = false
          closed += 1
        }
      }
      seen = bench.log.count
    }
    #expect(opened > 1 && closed > 1)
  }
}
