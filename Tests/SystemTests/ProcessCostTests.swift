import Foundation
import Quantities
import Testing
@testable import System

@Suite struct ProcessCostTests {
  static let counters: [(text: String, written: Int64?)] = [
    ("rchar: 10\nwchar: 20\nread_bytes: 0\nwrite_bytes: 4096\n", 4096), ("write_bytes: 7", 7),
    ("wchar: 20\ncancelled_write_bytes: 7\n", nil), ("", nil),
  ]

  @Test(arguments: counters)
  func theKernelsCountersAreRead(text: String, written: Int64?) {
    #expect(ProcessCost.bytesWritten(of: Array(text.utf8)) == written)
  }

  @Test func workTakesProcessorTime() {
    let before = ProcessCost.sinceStart()
    var sum = 0.0
    for number in 1...1_000_000 { sum += Double(number).squareRoot() }
    #expect(sum > 0)
    #expect(ProcessCost.sinceStart().processor > before.processor)
  }

  @Test func localTimeIsThatOfTheSystem() {
    for day in [0, 20_000, 20_100, 20_200] {
      let time = Timestamp(milliseconds: Int64(day) * 86_400_000)
      let expected = TimeZone.current.secondsFromGMT(
        for: Date(timeIntervalSince1970: Double(day) * 86_400))
      #expect(LocalTime.aheadOfUTC(at: time) == .seconds(expected))
      #expect(LocalTime.day(of: time) == (time + .seconds(expected)).day)
    }
  }
}
