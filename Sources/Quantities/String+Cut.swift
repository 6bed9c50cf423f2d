extension String {
  /// As many whole characters from the start as fit in `limit` bytes of UTF-8.
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
