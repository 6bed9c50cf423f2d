extension QRMatrix {
  /// The lines of the code, with two modules per character cell.
  ///
  /// Light modules are blocks, as on a terminal with a dark background. With `colors`, escape sequences (ECMA-48) set black
  /// and white, so that every background is right.
  public func lines(colors: Bool) -> [String] {
    stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let cells = range.map { column in
        let (upper, lower) = (isDark(row: row, column: column), isDark(row: row + 1, column: column))
        // An odd number of rows leaves the lower half of the last cells outside of the quiet zone.
        switch (upper, lower) {
        case (false, false): return "█"
        case (false, true): return "▀"
        case (true, false): return "▄"
        case (true, true): return " "
        }
      }
      return colors ? "\u{1b}[97;40m\(cells.joined())\u{1b}[0m" : cells.joined()
    }
  }
}
