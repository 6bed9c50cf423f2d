import Foundation
import Testing

@testable import TextSnapshots

@Suite struct TextSnapshotTests {
  private let path = NSTemporaryDirectory() + "texts-\(UUID().uuidString)/area.txt"

  private func texts(renewed: Bool) -> TextSnapshot { TextSnapshot(path: path, isRenewed: renewed) }

  @Test func aRenewedTextIsExpectedByLaterTests() {
    let renewed = texts(renewed: true)
    #expect(renewed.expected("second", "two\n\nlines") == "two\n\nlines")
    #expect(renewed.expected("first", "one") == "one")
    let kept = texts(renewed: false)
    #expect(kept.expected("second", "other") == "two\n\nlines")
    #expect(kept["first"] == "one")
    #expect(
      (try? String(contentsOfFile: path, encoding: .utf8)) == "== first ==\none\n== second ==\ntwo\n\nlines\n"
    )
  }

  @Test func aTextWithoutAnEntryNeverMatches() {
    #expect(texts(renewed: false).expected("absent", "text") != "text")
  }
}
