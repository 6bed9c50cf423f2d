import Quantities
import Settings
import SystemLoop
import Testing
import TextSnapshots

@testable import Daemon

@Suite struct SettingsBookTests {
  @Test func settingsOfServersFromBeforeTheStartHaveTheirOutcome() {
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
    let book = SettingsBook(sources: nil, stored: stored, now: now, utc: SystemClock.timestamp)
    #expect(
      book.outcomes.mapValues { $0.mapValues(\.kind) } == [
        "home": ["main.batch_size": .persisted, "main.min_time": .applied]
      ])
  }

  @Test func theServerOfAProvenDeviceSettingIsKnownAfterARestart() {
    let time = ServerKey("main.min_time")
    var proven = Self.book([time: "5s"])
    _ = proven.server.handle(.answered(by: "home", newestLocation: 2), now: .zero)
    let book = SettingsBook(
      sources: nil, stored: proven.stored(now: .zero), now: .zero, utc: SystemClock.timestamp)
    #expect(book.outcomes.mapValues { $0.mapValues(\.kind) } == ["home": [time.path: .persisted]])
    #expect(book.layers.setters == [time: "home"])
  }

  static func book(_ values: [ServerKey: String] = [:], by name: String = "home") -> SettingsBook {
    var book = SettingsBook(sources: nil, stored: StoredSettings(), now: .zero, utc: SystemClock.timestamp)
    _ = book.server.handle(.wished(values, by: name, afterRecord: 1), now: .zero)
    for key in values.keys { book.note(RemoteOutcome(kind: .applied, reason: ""), key.path, by: name) }
    return book
  }

  @Test func destinationsWithTheSameKeyHaveSeparateOutcomes() {
    let (mine, other) = (
      ServerKey("main.batch_size", destination: "home"), ServerKey("main.batch_size", destination: "away")
    )
    var book = Self.book([mine: "50"])
    book.supersede(other, by: "away")
    book.note(RemoteOutcome(kind: .refused, reason: "locked"), other.path, by: "away")
    #expect(book.outcomes["home"]?["main.batch_size"]?.kind == .applied)
    #expect(book.outcomes["away"]?["main.batch_size"] == RemoteOutcome(kind: .refused, reason: "locked"))
  }

  @Test func aDeviceSettingThatAnotherServerReplacesNamesThatServer() throws {
    let time = ServerKey("main.min_time")
    var book = Self.book([time: "5s"])
    book.supersede(time, by: "away")
    book.note(RemoteOutcome(kind: .applied, reason: ""), time.path, by: "away")
    let reason = try #require(book.outcomes["home"]?[time.path]?.reason)
    #expect(book.outcomes["home"]?[time.path]?.kind == .ignored)
    #expect(reason.contains("away"))
    #expect(reason == TextSnapshot("daemon").expected("value replaced by another server", reason))
    #expect(book.outcomes["away"]?[time.path]?.kind == .applied)
  }

  @Test func aProvenSettingOfAnUnknownServerIsAssignedToTheNextThatSendsIt() throws {
    let time = ServerKey("main.min_time")
    // As written by a version that did not store the server.
    let file = #"""
      {"operator": {}, "server": {"values": [{"key": {"path": "main.min_time"}, "value": "5s"}], "failures": [],
        "contacts": [], "boot": "", "moment_ms": 0, "utc_ms": 0}}
      """#
    let stored = try #require(try? StoredSettings(json: Array(file.utf8)))
    var book = SettingsBook(sources: nil, stored: stored, now: .zero, utc: SystemClock.timestamp)
    #expect(book.outcomes.mapValues { $0.mapValues(\.kind) } == ["": [time.path: .persisted]])
    book.noteUnchanged(time, by: "home")
    book.noteUnchanged(time, by: "home")
    book.noteUnchanged(time, by: "away")
    #expect(book.outcomes["home"]?[time.path]?.kind == .persisted && book.outcomes[""]?.isEmpty == true)
    #expect(book.outcomes["away"]?[time.path]?.kind == .unchanged)
  }

  @Test func endlessNewKeysNeitherFillMemoryNorHideOtherOutcomes() {
    var book = Self.book([ServerKey("main.min_time"): "5s"])
    for number in 0..<10_000 {
      book.note(RemoteOutcome(kind: .ignored, reason: ""), "x\(number)", by: "home")
      book.note(RemoteOutcome(kind: .ignored, reason: ""), "x\(number)", by: "away")
    }
    #expect(book.outcomes.values.allSatisfy { $0.count <= SettingsBook.mostOutcomes })
    #expect(book.outcomes["home"]?["main.min_time"]?.kind == .applied)
  }
}
