import GNSSReport
import Testing
@testable import Daemon

/// Messages of the receiver are shown only once no position in them can be in a privacy zone.
@Suite struct ReceiverFeedTests {
  /// What a wake-up brings, in the order of the loop: messages, then epochs.
  struct WakeUp {
    var messages: [String] = []
    /// The epochs, true for one in a privacy zone.
    var epochs: [Bool] = []
    /// True if the device is in a zone afterwards.
    var isPrivate = false
  }

  static func shown(_ wakeUps: [WakeUp], hasZones: Bool) -> [[String]] {
    var feed = ReceiverFeed()
    feed.showMessages(true)
    return wakeUps.map { wakeUp in
      for message in wakeUp.messages { feed.take(message) }
      for isPrivate in wakeUp.epochs { feed.epoch(isPrivate: isPrivate) }
      return feed.endWakeUp(hasZones: hasZones, isPrivate: wakeUp.isPrivate).map(\.name)
    }
  }

  static let table: [(name: String, hasZones: Bool, wakeUps: [WakeUp], shown: [[String]])] = [
    (
      "without zones everything is shown at once", false,
      [WakeUp(messages: ["A", "B"], epochs: [false]), WakeUp(messages: ["C"])], [["A", "B"], ["C"]]
    ),
    (
      "with zones an epoch later", true,
      [
        WakeUp(messages: ["A"], epochs: [false]), WakeUp(messages: ["B"], epochs: [false]), WakeUp(),
        WakeUp(messages: ["C"], epochs: [false]),
      ], [[], ["A"], [], ["B"]]
    ),
    (
      "an epoch that silence closes releases its messages", true,
      [WakeUp(messages: ["A"]), WakeUp(messages: ["B"]), WakeUp(epochs: [false])], [[], [], ["A", "B"]]
    ),
    (
      "the read that crosses into a zone is discarded, and what waits for it", true,
      [
        WakeUp(messages: ["A"], epochs: [false]),
        WakeUp(messages: ["B", "C", "D"], epochs: [false, false, true], isPrivate: true),
        WakeUp(messages: ["E"], epochs: [true], isPrivate: true),
      ], [[], [], []]
    ),
    (
      "the read that crosses out of a zone is discarded", true,
      [
        WakeUp(messages: ["A"], epochs: [true], isPrivate: true),
        WakeUp(messages: ["B", "C"], epochs: [true, false]),
        WakeUp(messages: ["D"], epochs: [false]), WakeUp(messages: ["E"], epochs: [false]),
      ], [[], [], [], ["D"]]
    ),
    (
      "the beginning of an epoch inside is never shown", true,
      [
        WakeUp(messages: ["A", "first half of B"], epochs: [false]),
        WakeUp(messages: ["second half of B"], epochs: [true], isPrivate: true),
      ], [[], []]
    ),
    (
      "a fix inside that a filter rejects discards, too", true,
      [WakeUp(messages: ["A"]), WakeUp(messages: ["B"], epochs: [true]), WakeUp(epochs: [false])],
      [[], [], []]
    ),
    (
      "a zone that is set while messages wait", true,
      [WakeUp(messages: ["A"], epochs: [false]), WakeUp(isPrivate: true), WakeUp(epochs: [false])],
      [[], [], []]
    ),
  ]

  @Test func whatIsShownAndWhen() {
    for row in Self.table {
      #expect(Self.shown(row.wakeUps, hasZones: row.hasZones) == row.shown, "\(row.name)")
    }
  }

  @Test func satellitesAreHeldLikeMessages() {
    var feed = ReceiverFeed()
    let sky = Array("{}".utf8)
    feed.take(satellites: sky)
    feed.epoch(isPrivate: true)
    #expect(feed.endWakeUp(hasZones: true, isPrivate: true).isEmpty)
    feed.take(satellites: sky)
    #expect(feed.endWakeUp(hasZones: false, isPrivate: false) == [.satellites(sky)])
  }

  @Test func withoutAClientNothingIsKept() {
    var feed = ReceiverFeed()
    feed.take("A")
    #expect(feed.endWakeUp(hasZones: false, isPrivate: false).isEmpty)
    feed.showMessages(true)
    feed.take("A")
    feed.take(satellites: [1])
    feed.showMessages(false)
    #expect(feed.endWakeUp(hasZones: false, isPrivate: false) == [.satellites([1])])
  }

  @Test func whatWaitsIsBounded() {
    var feed = ReceiverFeed()
    feed.showMessages(true)
    let message = String(repeating: "x", count: 900)
    for number in 0..<200 {
      feed.take("\(number) \(message)")
      if number % 10 == 0 { _ = feed.endWakeUp(hasZones: true, isPrivate: false) }
    }
    feed.epoch(isPrivate: false)
    let shown = feed.endWakeUp(hasZones: false, isPrivate: false)
    #expect((30...36).contains(shown.count) && shown.last?.name.hasPrefix("199 ") == true, "\(shown.count)")
  }
}

private let prefix = "GNTXT,01,01,02,"

extension ReceiverFeed {
  /// Takes a sentence.
  fileprivate mutating func take(_ body: String) {
    var sentence: [UInt8] = []
    RawMessage.sentence(Array((prefix + body).utf8)).appendSentence(to: &sentence)
    sentence.withUnsafeBytes { take($0) }
  }
}

extension ReceiverFeed.Item {
  /// The body of a sentence.
  fileprivate var name: String {
    guard case .message(.sentence(let body)) = self else { return "" }
    return String(decoding: body.dropFirst(prefix.utf8.count), as: UTF8.self)
  }
}
