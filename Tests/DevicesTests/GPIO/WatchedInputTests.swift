import EventLoop
import Glibc
import Quantities
import System
import Testing
@testable import Devices

@Suite struct WatchedInputTests {
  /// A line whose level the test sets, and whose chip it removes.
  final class ScriptedLine: LevelInput {
    var isActive: Bool?
    var isClosed = false
    let onReport: (InputLine.Report, Moment) -> Void

    init(_ isActive: Bool?, _ onReport: @escaping (InputLine.Report, Moment) -> Void) {
      self.isActive = isActive
      self.onReport = onReport
    }

    func stop() { isClosed = true }
  }

  final class Bench {
    let loop: EventLoop
    /// Results of the next attempts: a level, no answer, or an error.
    var finds: [Result<Bool?, SystemError>]
    var lines: [ScriptedLine] = []
    var notices: [WatchedInput.Notice] = []
    private(set) lazy var input = watched()

    init(_ finds: [Result<Bool?, SystemError>]) throws {
      self.finds = finds
      loop = try EventLoop()
    }

    private func watched() -> WatchedInput {
      let input = WatchedInput(loop: loop, wiring: LineWiring(chip: "/dev/gpiochip0", line: 22)) {
        [unowned self] onReport throws(SystemError) in
        let line = ScriptedLine(try finds.removeFirst().get(), onReport)
        lines.append(line)
        return line
      }
      input.onNotice = { [unowned self] notice, _ in notices.append(notice) }
      return input
    }
  }

  private static let busy = SystemError(call: "GPIO_V2_GET_LINE", subject: "line", number: EBUSY)

  @Test func theFirstLevelAndLaterChangesAreReported() throws {
    let bench = try Bench([.success(false)])
    bench.input.start()
    let line = try #require(bench.lines.first)
    for level in [false, true, true, false] { line.onReport(.level(isActive: level), .zero) }
    #expect(
      bench.notices == [.level(isActive: false), .level(isActive: true), .level(isActive: false)])
  }

  @Test func aLineThatCannotBeOpenedIsReportedOnceAndRetried() throws {
    let bench = try Bench([.failure(Self.busy), .failure(Self.busy), .success(true)])
    bench.input.start()
    bench.input.tryToOpen(now: .zero)
    #expect(bench.notices == [.lost(Self.busy)])
    bench.input.tryToOpen(now: .zero)
    #expect(bench.notices == [.lost(Self.busy), .level(isActive: true)])
  }

  @Test func aReturningChipReportsItsLevelAgain() throws {
    let bench = try Bench([.success(true), .success(true)])
    bench.input.start()
    try #require(bench.lines.first).onReport(.gone, .zero)
    #expect(bench.lines[0].isClosed)
    bench.input.tryToOpen(now: .zero)
    let gone = SystemError(
      call: "GPIO_V2_LINE_GET_VALUES", subject: "/dev/gpiochip0 line 22", number: ENODEV)
    #expect(bench.notices == [.level(isActive: true), .lost(gone), .level(isActive: true)])
  }

  @Test func aLineWithoutALevelIsLost() throws {
    let bench = try Bench([.success(nil)])
    bench.input.start()
    #expect(bench.lines.filter { !$0.isClosed }.isEmpty)
    guard case .lost? = bench.notices.first else {
      Issue.record("told \(bench.notices)")
      return
    }
  }
}
