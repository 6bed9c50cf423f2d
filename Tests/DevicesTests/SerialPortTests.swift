import CSerial
import Glibc
import System
import Testing
import Devices

@Suite struct SerialPortTests {
  /// TIOCGEXCL of <asm-generic/ioctls.h>, whose number Swift cannot compute.
  private static let exclusiveMark: UInt = 0x8004_5440

  private func isExclusive(_ terminal: PseudoTerminal) throws -> Bool {
    // The descriptor of the line is private: the master is queried instead.
    let line = open(terminal.path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    if line < 0, errno == EBUSY { return true }
    defer { close(line) }
    var mark: Int32 = 0
    try check("TIOCGEXCL", ioctl(line, Self.exclusiveMark, &mark))
    return mark != 0
  }

  @Test(arguments: [4800, 9600, 31_250, 115_200, 921_600] as [UInt32])
  func anyBaudRateIsSetAndBytesArriveUnchanged(speed: UInt32) throws {
    let terminal = try PseudoTerminal()
    let port = try SerialPort(path: terminal.path, speed: speed, access: .readWrite)
    #expect(serial_speed(port.raw) == Int(speed))
    let all = (0...255).map { UInt8($0) }
    #expect(terminal.write(all) == 256)
    var received = [UInt8](repeating: 0, count: 1000)
    let reading = received.withUnsafeMutableBytes { port.read(into: $0) }
    #expect(reading == .bytes(256))
    #expect(Array(received.prefix(256)) == all)
    #expect(received.withUnsafeMutableBytes { port.read(into: $0) } == .empty)
  }

  @Test func dataFromBeforeTheOpeningIsKeptAndCanBeDiscarded() throws {
    let terminal = try PseudoTerminal()
    #expect(terminal.write(Array("early".utf8)) == 5)
    let port = try SerialPort(path: terminal.path, speed: 9600, access: .readOnly)
    var received = [UInt8](repeating: 0, count: 1000)
    #expect(received.withUnsafeMutableBytes { port.read(into: $0) } == .bytes(5))
    #expect(terminal.write(Array("late".utf8)) == 4)
    port.discardInput()
    #expect(received.withUnsafeMutableBytes { port.read(into: $0) } == .empty)
  }

  @Test func readOnlyAccessCannotWrite() throws {
    let terminal = try PseudoTerminal()
    let port = try SerialPort(path: terminal.path, speed: 9600, access: .readOnly)
    #expect(fcntl(port.raw, F_GETFL) & O_ACCMODE == O_RDONLY)
    #expect(write(port.raw, "x", 1) == -1)
    #expect(errno == EBADF)
  }

  @Test func noChildInheritsThePort() throws {
    let terminal = try PseudoTerminal()
    let port = try SerialPort(path: terminal.path, speed: 9600, access: .readWrite)
    #expect(fcntl(port.raw, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(terminal.raw, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func aSecondOpeningFailsAndTheFirstRemainsExclusive() throws {
    let terminal = try PseudoTerminal()
    do {
      let first = try SerialPort(path: terminal.path, speed: 9600, access: .readOnly)
      for _ in 0..<2 {
        #expect {
          try SerialPort(path: terminal.path, speed: 4800, access: .readOnly)
        } throws: { error in
          guard let error = error as? SystemError else { return false }
          return [EBUSY, EWOULDBLOCK].contains(error.number) && error.subject == terminal.path
        }
        #expect(try isExclusive(terminal))
        #expect(serial_speed(first.raw) == 9600)
      }
    }
    #expect(try !isExclusive(terminal))
    _ = try SerialPort(path: terminal.path, speed: 9600, access: .readOnly)
  }

  @Test(arguments: [("/dev/null", ENOTTY), ("/nowhere/at/all", ENOENT), ("/tmp", ENOTTY)])
  func aDeviceThatIsNotASerialLineIsRejectedWithItsPath(path: String, number: Int32) {
    #expect {
      try SerialPort(path: path, speed: 9600, access: .readOnly)
    } throws: { error in
      (error as? SystemError).map { $0.number == number && $0.subject == path } ?? false
    }
  }

  @Test func aLineWithAClosedOtherEndIsGone() throws {
    var terminal: PseudoTerminal? = try PseudoTerminal()
    let port = try SerialPort(path: terminal?.path ?? "", speed: 9600, access: .readOnly)
    terminal = nil
    var received = [UInt8](repeating: 0, count: 16)
    guard case .gone(let error) = received.withUnsafeMutableBytes({ port.read(into: $0) }) else {
      Issue.record("the line seems to be there")
      return
    }
    #expect([EIO, ENODEV].contains(error.number))
  }
}
