/// A text that must not reach a log, a listing or a message. Printing it shows only that it is there.
public struct Secret: Equatable, Sendable {
  /// The text itself, for the one place that needs it.
  public let revealed: String

  public init(_ text: String) { revealed = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(hidden)" }
  public var debugDescription: String { description }
  /// Keeps `dump` from walking into the text.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
