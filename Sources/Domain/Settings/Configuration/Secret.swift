/// A text that must not appear in a log, a listing or a message. Printing it shows a placeholder.
public struct Secret: Equatable, Sendable {
  /// The text itself, for the code that sends it.
  public let revealed: String

  public init(_ text: String) { revealed = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(hidden)" }
  public var debugDescription: String { description }
  /// Hides the text from `dump`.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
