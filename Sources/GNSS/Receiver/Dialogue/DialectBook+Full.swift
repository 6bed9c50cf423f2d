extension DialectBook {
  static var full: DialectBook { DialectBook(queries: [], query: { _ in nil }, dialect: { _ in nil }) }
}
