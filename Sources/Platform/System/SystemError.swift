import Glibc

/// A failed system call: its name, its subject, and the kernel's error number.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  public let call: String
  /// The affected file, device or address; empty if there is none.
  public let subject: String
  public let number: Int32

  public init(call: String, subject: String = "", number: Int32) {
    self.call = call
    self.subject = subject
    self.number = number
  }

  public var description: String {
    let reason = String(cString: strerror(number))
    return subject.isEmpty ? "\(call): \(reason)" : "\(subject): \(call): \(reason)"
  }
}

/// Returns the result of a system call, or throws the error in `errno` if it is negative.
@discardableResult
public func check<Result: SignedInteger>(
  _ call: String, on subject: @autoclosure () -> String = "", _ result: Result
) throws(SystemError) -> Result {
  guard result >= 0 else { throw SystemError(call: call, subject: subject(), number: errno) }
  return result
}
