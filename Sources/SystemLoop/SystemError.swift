import Glibc

/// A failed system call: which one, on what, and the kernel's error number.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  public let call: String
  /// The file, device or address it was about; empty when there is none.
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

/// Passes on what a system call returned, or throws what `errno` says when it is negative.
@discardableResult
public func check<Result: SignedInteger>(
  _ call: String, on subject: @autoclosure () -> String = "", _ result: Result
) throws(SystemError) -> Result {
  guard result >= 0 else { throw SystemError(call: call, subject: subject(), number: errno) }
  return result
}
