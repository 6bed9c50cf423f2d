import Glibc
import Testing
import System

/// A blocked reader costs lines, but no time, and the flags of other programs are unchanged.
@Suite struct UnblockedStreamTests {
  /// The two ends of a stream; reading does not block.
  private struct Ends {
    var reader: Int32
    var writer: Int32

    func close() {
      Glibc.close(reader)
      Glibc.close(writer)
    }

    func read() -> String {
      var text: [UInt8] = []
      var room = [UInt8](repeating: 0, count: 4096)
      var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
      while poll(&ready, 1, 0) == 1 {
        let count = Glibc.read(reader, &room, room.count)
        guard count > 0 else { break }
        text += room[..<count]
      }
      return String(decoding: text.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    static func pipe() throws -> Ends {
      var ends: [Int32] = [0, 0]
      try check("pipe", Glibc.pipe(&ends))
      return Ends(reader: ends[0], writer: ends[1])
    }

    static func socket() throws -> Ends {
      var ends: [Int32] = [0, 0]
      try check("socketpair", socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends))
      return Ends(reader: ends[0], writer: ends[1])
    }

    /// A terminal; its reader is the other side of the pseudo-terminal.
    static func terminal() throws -> Ends {
      let master = try check("open", open("/dev/ptmx", O_RDWR | O_NOCTTY))
      // TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h; Glibc does not offer unlockpt(3) to Swift.
      var unlocked: Int32 = 0
      try check("TIOCSPTLCK", ioctl(master, UInt(0x4004_5431), &unlocked))
      var number: UInt32 = 0
      try check("TIOCGPTN", ioctl(master, UInt(0x8004_5430), &number))
      return Ends(reader: master, writer: try check("open", open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)))
    }
  }

  enum Kind: String, CaseIterable, Sendable { case pipe, socket, terminal }

  private static func ends(_ kind: Kind) throws -> Ends {
    switch kind {
    case .pipe: try .pipe()
    case .socket: try .socket()
    case .terminal: try .terminal()
    }
  }

  private static func line(_ number: Int) -> String {
    "line \(number) \(String(repeating: "x", count: number % 700))\n"
  }

  private static func write(_ number: Int, to stream: UnblockedStream) {
    #expect(stream.write(Array(line(number).utf8)) { "[\($0) dropped]\n" } == nil)
  }

  @Test(arguments: Kind.allCases)
  func droppedLinesAreCountedAndReportedOnce(kind: Kind) throws {
    let ends = try Self.ends(kind)
    defer { ends.close() }
    let flags = fcntl(ends.writer, F_GETFL)
    let stream = UnblockedStream(descriptor: ends.writer)
    // More than any of the streams buffers: a blocking stream would never return.
    for number in 0..<5000 { Self.write(number, to: stream) }
    #expect(fcntl(ends.writer, F_GETFL) == flags, "shared with others")
    var text = ""
    var number = 5000
    // The reader resumes. The stream may contain less than the remainder of a partly written line.
    while number < 5010 {
      text += ends.read()
      Self.write(number, to: stream)
      number += 1
    }
    text += ends.read()
    let lines = text.split(separator: "\n").map(String.init)
    // A short line may fit where a longer one did not, so there may be several notices.
    let dropped = lines.filter { $0.hasSuffix("dropped]") }
      .compactMap { Int($0.dropFirst().prefix { $0.isNumber }) }
    #expect(dropped.reduce(0, +) > 4000)
    // Every line is complete and in order, or counted.
    let whole = lines.filter { !$0.hasSuffix("dropped]") }
    let numbers = whole.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
    #expect(whole == numbers.map { String(Self.line($0).dropLast()) })
    #expect(numbers == numbers.sorted() && numbers.count + dropped.reduce(0, +) == number)
    #expect(numbers.first == 0 && numbers.last == number - 1)
  }

  @Test func aStoppedTerminalDoesNotBlock() throws {
    let ends = try Ends.terminal()
    defer { ends.close() }
    let stream = UnblockedStream(descriptor: ends.writer)
    Self.write(1, to: stream)
    // The effect of Ctrl-S.
    #expect(tcflow(ends.writer, Int32(TCOOFF)) == 0)
    for number in 2...4 { Self.write(number, to: stream) }
    #expect(tcflow(ends.writer, Int32(TCOON)) == 0)
    Self.write(5, to: stream)
    #expect(ends.read() == Self.line(1) + "[3 dropped]\n" + Self.line(5))
  }

  @Test func aStreamThatCannotBeReopenedIsPolled() throws {
    let ends = try Ends.pipe()
    defer { ends.close() }
    let stream = UnblockedStream(descriptor: ends.writer, canReopen: false)
    for number in 0..<5000 { Self.write(number, to: stream) }
    #expect(ends.read().hasPrefix("line 0 \n"))
    Self.write(5000, to: stream)
    #expect(ends.read().contains("dropped]\n" + Self.line(5000)))
  }

  @Test func aClosedReaderIsAnError() throws {
    let ends = try Ends.pipe()
    defer { close(ends.writer) }
    signal(SIGPIPE, SIG_IGN)
    close(ends.reader)
    let stream = UnblockedStream(descriptor: ends.writer)
    #expect(stream.write(Array("a\n".utf8)) { "\($0)" } == EPIPE)
  }

  @Test func aFileAcceptsAllLines() throws {
    let file = try #require(tmpfile())
    defer { fclose(file) }
    let stream = UnblockedStream(descriptor: fileno(file))
    for number in 0..<100 { Self.write(number, to: stream) }
    var facts = stat()
    #expect(fstat(fileno(file), &facts) == 0)
    #expect(Int(facts.st_size) == (0..<100).reduce(0) { $0 + Self.line($1).utf8.count })
  }
}
