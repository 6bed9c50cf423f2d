/// A wireless network that the box has joined.
public struct JoinedNetwork: Equatable, Sendable {
  public var name: String
  /// Of the access point, in lower case with colons; nil where nobody tells.
  public var accessPoint: String?

  public init(name: String, accessPoint: String?) {
    self.name = name
    self.accessPoint = accessPoint
  }
}
