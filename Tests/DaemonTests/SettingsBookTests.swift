import Quantities
import Settings
import SystemLoop
import Testing

@testable import Daemon

@Suite struct SettingsBookTests {
  @Test func whatAServerSetBeforeTheStartIsKnownWithItsStanding() {
    let size = ServerKey("main.batch_size", destination: "home")
    let time = ServerKey("main.min_time")
    let now = SystemClock.moment()
    var changes = ServerChanges(now: now)
    _ = changes.handle(.wished([size: "50"], by: "home", afterRecord: 1), now: now)
    _ = changes.handle(.answered(by: "home", newestLocation: 2), now: now)
    _ = changes.handle(.wished([time: "5s"], by: "home", afterRecord: 2), now: now)
    var stored = StoredSettings()
    stored.server = changes.record(
      now: now, boot: ProcessSurroundings.bootIdentity, utc: SystemClock.timestamp())
    let book = SettingsBook(sources: nil, stored: stored, now: now)
    #expect(book.outcomes.mapValues(\.kind) == ["main.batch_size": .persisted, "main.min_time": .applied])
    #expect(book.outcomes.values.allSatisfy { $0.destination == "home" })
  }
}
