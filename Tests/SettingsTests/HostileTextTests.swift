import HostileJSON
import Quantities
import Testing
import TextSnapshots

import Settings

/// Every text of settings is read or rejected; none ends the program.
@Suite struct HostileTextTests {
  static let texts = TextSnapshot("settings")

  /// Passes the bytes to every function that reads settings from external bytes.
  static func read(_ bytes: [UInt8]) throws {
    let source = SourceText(name: "f", bytes: bytes)
    let fallbacks = Fallbacks(deviceID: "", apiSocket: "")
    _ = try? Configuration.read(board: source, file: nil, overrides: [], fallbacks: fallbacks)
    _ = try? Configuration.read(board: nil, file: source, overrides: [], fallbacks: fallbacks)
    _ = try? Configuration.apiSocket(in: source)
    _ = try? BoardChoice.named(in: source, overrides: [])
    let text = String(decoding: bytes, as: UTF8.self)
    for key in ["destinations", "main.batch_size"] {
      _ = try? Configuration.read(board: nil, file: nil, overrides: ["\(key)=\(text)"], fallbacks: fallbacks)
    }
    _ = try? Configuration.read(board: nil, file: nil, overrides: [text], fallbacks: fallbacks)
    _ = try? OperatorRequest(json: bytes)
    _ = ServerSet(answer: bytes, of: "a", under: try LayerTests.read(file: "{ \(LayerTests.one) }"))
    _ = SettingsListing(json: bytes)
    _ = try? SetupURL("overland://setup?url=\(text)&token=\(text)&\(text)")
    readStored(bytes)
  }

  /// Returns true if a part of the stored settings was readable.
  @discardableResult static func readStored(_ bytes: [UInt8]) -> Bool {
    guard let stored = try? StoredSettings(json: bytes) else { return false }
    #expect((try? StoredSettings(json: stored.json))?.faults == [])
    return true
  }

  static let sets = [
    HostileJSON.frames, HostileJSON.documents(key: "device_id"),
    HostileJSON.documents(key: "batch_size", before: #"{"main":{"#, after: "}}"),
    HostileJSON.documents(key: "batch_size", before: #"{"result":"ok","set":{"main":{"#, after: "}}}"),
  ]

  static let stored = [
    HostileJSON.documents(key: "main.min_time", before: #"{"operator":{"#, after: "}}"),
    HostileJSON.documents(key: "values", before: #"{"server":{"#, after: "}}"),
    HostileJSON.documents(key: "home", before: #"{"destinations":{"#, after: "}}"),
  ]

  @Test(arguments: sets.indices)
  func noTextTraps(set: Int) throws {
    for document in Self.sets[set] { try Self.read(document.bytes) }
  }

  @Test(arguments: stored.indices)
  func noStoredTextTraps(set: Int) {
    #expect(Self.stored[set].count { Self.readStored($0.bytes) } > 0)
  }

  static let samples = [
    #"{ device_id: 'é\n', main: { min_time: "5s", batch_size: 0x32, }, destinations: [{ name: 'a' }], /* c */ } // d"#,
    #"{"result":"ok","set":{"main":{"min_time":"5s","batch_size":50},"trip_mode":"car"}}"#,
    #"{"main.min_time": "5s", "main": {"batch_size": 50}, "send_interval": null}"#,
    #"{"directory": "/d", "is_durable": true, "settings": [{"key": "a", "value": [1, {}], "origin": "file"}]}"#,
    String(decoding: StoredSettingsTests.whole.json, as: UTF8.self),
  ]

  @Test(arguments: samples.indices, 0..<10)
  func noModifiedTextTraps(sample: Int, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 { try Self.read(HostileJSON.mutated(Array(Self.samples[sample].utf8), &random)) }
  }

  static let messages: [(text: [UInt8], position: String)] = [
    (Array("{\n  device_id: 'a".utf8) + [0x81] + Array("' }".utf8), "f:2:16"),
    (Array("{ de".utf8) + [0x81] + Array(": 1 }".utf8), "f:1:5"),
    ([0xFF, 0xFE, 0x7B, 0], "f:1:1"), (Array("{ '\\ud800': 1 }".utf8), "f:1:3"),
    (Array("{ /* a: 1 }".utf8), "f:1:3"),
  ]

  @Test(arguments: messages.indices)
  func theMessageHasPositionAndRemedy(index: Int) {
    let (bytes, position) = Self.messages[index]
    do throws(SettingsErrors) {
      _ = try Configuration.read(
        board: nil, file: SourceText(name: "f", bytes: bytes), overrides: [],
        fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
      Issue.record("accepted")
    } catch {
      #expect(error.description.hasPrefix("\(position): "))
      #expect(error.description == Self.texts.expected("hostile text \(index)", error.description))
    }
  }

  @Test func aByteThatIsNotUTF8InvalidatesTheWholeResponse() throws {
    let bytes = Array(#"{"result":"ok","set":{"main":{"ba"#.utf8) + [0x81] + Array(#"ch_size":50}}}"#.utf8)
    let set = try #require(
      ServerSet(answer: bytes, of: "a", under: try LayerTests.read(file: "{ \(LayerTests.one) }")))
    guard case .ignored(let reason)? = set.items.first?.verdict else {
      return #expect(Bool(false), "\(set.items)")
    }
    #expect(set.items.map(\.path) == ["set"] && reason.contains(" 33 "))
    #expect(reason == TextSnapshot("remote-settings").expected("response that is not UTF-8", reason))
  }
}
