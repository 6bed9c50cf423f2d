extension String {
  /// The longest prefix of whole characters that fits in `limit` bytes of UTF-8.
  public func cut(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var length = 0
    return String(
      prefix { character in
        length += character.utf8.count
        return length <= limit
      })
  }
}
