/// Something that happened to the device and that explains the log.
public struct EventRecord: Equatable, Sendable {
  public var kind: EventKind
  /// One sentence for a person; at most ``longestDetail`` bytes of UTF-8.
  public var detail: String
  /// A count or a measure that belongs to the event, in the unit that ``EventKind`` names.
  public var value: Int64?

  /// Bytes; keeps a row well within one database page.
  public static let longestDetail = 800

  /// Cuts `detail` at a character that fits.
  public init(_ kind: EventKind, detail: String = "", value: Int64? = nil) {
    self.kind = kind
    self.value = value
    guard detail.utf8.count > Self.longestDetail else {
      self.detail = detail
      return
    }
    var length = 0
    self.detail = String(
      detail.prefix { character in
        length += character.utf8.count
        return length <= Self.longestDetail
      })
  }
}
