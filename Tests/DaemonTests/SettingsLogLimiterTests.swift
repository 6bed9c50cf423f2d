import Quantities
import Testing
import TextSnapshots

@testable import Daemon

@Suite struct SettingsLogLimiterTests {
  @Test func linesAboutAServerAreLimitedPerHourAndTheRestIsCounted() throws {
    var limiter = SettingsLogLimiter()
    var logged: [[String]] = []
    for second in 0..<(3600 * 3) {
      logged.append(limiter.add("x", now: .zero + .seconds(second)))
    }
    let most = SettingsLogLimiter.mostLines
    #expect(logged.prefix(most) == ArraySlice(repeating: ["x"], count: most))
    let texts = TextSnapshot("daemon")
    #expect(logged[most].count == 1 && logged[most] != ["x"])
    #expect(logged[most].first == texts.expected("limit of lines about a server", logged[most].first ?? ""))
    #expect(logged[(most + 1)..<3600].joined().isEmpty)
    #expect(logged[3600].count == 2 && logged[3600].last == "x")
    let count = try #require(logged[3600].first)
    #expect(count.contains("\(3600 - most) "), "\(count)")
    #expect(count == texts.expected("count of unreported settings of a server", count))
    #expect(logged.joined().count == 3 * (most + 1) + 2)
  }

  @Test func rareLinesAreAllReported() {
    var limiter = SettingsLogLimiter()
    for hour in 0..<100 { #expect(limiter.add("x", now: .zero + .seconds(hour * 3600)) == ["x"]) }
  }
}
