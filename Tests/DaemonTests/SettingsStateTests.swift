import Quantities
import Settings
import System
import Testing
import TextSnapshots
@testable import Daemon

@Suite struct SettingsStateTests {
  @Test func settingsOfServersFromBeforeTheStartHaveTheirOutcome() {
    let size = ServerKey("main.batch_size", destination: "home")
    let time = ServerKey("main.min_time")
    let now = SystemClock.moment()
    var changes = ServerChanges(now: now)
    _ = changes.handle(.requested([size: "50"], by: "home", afterRecord: 1), now: now)
    _ = changes.handle(.answered(by: "home", newestLocation: 2), now: now)
    _ = changes.handle(.requested([time: "5s"], by: "home", afterRecord: 2), now: now)
    var stored = StoredSettings()
    stored.server = changes.record(
      now: now, boot: ProcessEnvironment.bootIdentity, utc: SystemClock.timestamp())
    let state = SettingsState(
      sources: nil, stored: stored, now: now, utc: SystemClock.timestamp, wall: { _ in nil })
    #expect(
      state.outcomes.mapValues { $0.mapValues(\.kind) } == [
        "home": ["main.batch_size": .persisted, "main.min_time": .applied]
      ])
  }

  @Test func theServerOfAProvenDeviceSettingIsKnownAfterARestart() {
    let time = ServerKey("main.min_time")
    var proven = Self.state([time: "5s"])
    _ = proven.handle(.answered(by: "home", newestLocation: 2), now: .zero)
    let state = SettingsState(
      sources: nil, stored: proven.stored(now: .zero), now: .zero, utc: SystemClock.timestamp,
      wall: { _ in nil })
    #expect(state.outcomes.mapValues { $0.mapValues(\.kind) } == ["home": [time.path: .persisted]])
    #expect(state.layers.setters == [time: "home"])
  }

  static func state(_ values: [ServerKey: String] = [:], by name: String = "home") -> SettingsState {
    var state = SettingsState(
      sources: nil, stored: StoredSettings(), now: .zero, utc: SystemClock.timestamp, wall: { _ in nil })
    _ = state.handle(.requested(values, by: name, afterRecord: 1), now: .zero)
    for key in values.keys { state.record(RemoteOutcome(kind: .applied, reason: ""), key.path, by: name) }
    return state
  }

  @Test func destinationsWithTheSameKeyHaveSeparateOutcomes() {
    let (mine, other) = (
      ServerKey("main.batch_size", destination: "home"), ServerKey("main.batch_size", destination: "away")
    )
    var state = Self.state([mine: "50"])
    state.supersede(other, by: "away")
    state.record(RemoteOutcome(kind: .refused, reason: "locked"), other.path, by: "away")
    #expect(state.outcomes["home"]?["main.batch_size"]?.kind == .applied)
    #expect(state.outcomes["away"]?["main.batch_size"] == RemoteOutcome(kind: .refused, reason: "locked"))
  }

  @Test func aDeviceSettingThatAnotherServerReplacesNamesThatServer() throws {
    let time = ServerKey("main.min_time")
    var state = Self.state([time: "5s"])
    state.supersede(time, by: "away")
    state.record(RemoteOutcome(kind: .applied, reason: ""), time.path, by: "away")
    let reason = try #require(state.outcomes["home"]?[time.path]?.reason)
    #expect(state.outcomes["home"]?[time.path]?.kind == .ignored)
    #expect(reason.contains("away"))
    #expect(reason == TextSnapshot("daemon").expected("value replaced by another server", reason))
    #expect(state.outcomes["away"]?[time.path]?.kind == .applied)
  }

  @Test func aProvenSettingOfAnUnknownServerIsAssignedToTheNextThatSendsIt() throws {
    let time = ServerKey("main.min_time")
    // As written by a version that did not store the server.
    let file = #"""
      {"operator": {}, "server": {"values": [{"key": {"path": "main.min_time"}, "value": "5s"}], "failures": [],
        "contacts": [], "boot": "", "moment_ms": 0, "utc_ms": 0}}
      """#
    let stored = try #require(try? StoredSettings(json: Array(file.utf8)))
    var state = SettingsState(
      sources: nil, stored: stored, now: .zero, utc: SystemClock.timestamp, wall: { _ in nil })
    #expect(state.outcomes.mapValues { $0.mapValues(\.kind) } == ["": [time.path: .persisted]])
    state.recordUnchanged(time, by: "home")
    state.recordUnchanged(time, by: "home")
    state.recordUnchanged(time, by: "away")
    #expect(state.outcomes["home"]?[time.path]?.kind == .persisted && state.outcomes[""]?.isEmpty == true)
    #expect(state.outcomes["away"]?[time.path]?.kind == .unchanged)
  }

  @Test func endlessNewKeysNeitherFillMemoryNorHideOtherOutcomes() {
    var state = Self.state([ServerKey("main.min_time"): "5s"])
    for number in 0..<10_000 {
      state.record(RemoteOutcome(kind: .ignored, reason: ""), "x\(number)", by: "home")
      state.record(RemoteOutcome(kind: .ignored, reason: ""), "x\(number)", by: "away")
    }
    #expect(state.outcomes.values.allSatisfy { $0.count <= SettingsState.mostOutcomes })
    #expect(state.outcomes["home"]?["main.min_time"]?.kind == .applied)
  }
}
