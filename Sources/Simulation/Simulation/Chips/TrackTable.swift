/// The reason why a text is not a valid track.
public enum TrackError: Error, Hashable, Sendable {
  case empty
  case tooManyRows(limit: Int)
  case missingColumn(line: Int, column: String)
  /// A value is not a number, or outside the range of any sensor.
  case notANumber(line: Int, column: String, got: String)
  case timeRunsBack(line: Int)
  /// The time differs from that of the previous line by more than a year.
  case timeLeaps(line: Int, got: String)
}

/// A table of numbers over time with linear interpolation. Before the first and after the last row its values apply.
package struct TrackTable: Equatable, Sendable {
  package static let mostRows = 2_000_000
  /// Bound on the magnitude of the seconds and of every other value.
  package static let bound = 1e9

  package private(set) var times: [Double] = []
  private var values: [Double] = []
  package let width: Int

  /// Reads comma-separated numbers. The first line may be a header; empty lines and further columns are
  /// ignored. `names` has all columns, the time first. The columns after the first `required` may be missing,
  /// in all rows or in some, and are then NaN.
  package init(csv: some Sequence<UInt8>, names: [String], required: Int) throws(TrackError) {
    width = names.count - 1
    try TextLines.forEach(in: csv) { line, number throws(TrackError) in
      try take(line, number: number, names: names, required: required)
    }
    guard !times.isEmpty else { throw .empty }
  }

  private mutating func take(_ line: [UInt8], number: Int, names: [String], required: Int) throws(TrackError)
  {
    let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      String(decoding: $0.filter { $0 > 0x20 }, as: UTF8.self)
    }
    if fields.allSatisfy(\.isEmpty) { return }
    if number == 1, Double(fields[0]) == nil { return }
    guard times.count < Self.mostRows else { throw .tooManyRows(limit: Self.mostRows) }
    var row: [Double] = []
    for (index, name) in names.enumerated() {
      guard index < fields.count, !fields[index].isEmpty else {
        guard index >= required else { throw .missingColumn(line: number, column: name) }
        row.append(.nan)
        continue
      }
      guard let value = Double(fields[index]), abs(value) <= Self.bound else {
        throw .notANumber(line: number, column: name, got: fields[index])
      }
      row.append(value)
    }
    if let last = times.last, row[0] < last { throw .timeRunsBack(line: number) }
    times.append(row[0])
    values += row.dropFirst()
  }

  /// Index of the last row at or before a second; nil before the first.
  package func index(at second: Double) -> Int? {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= second { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  package func value(_ column: Int, at second: Double) -> Double {
    guard let index = index(at: second) else { return values[column] }
    let value = values[index * width + column]
    guard index + 1 < times.count else { return value }
    let share = (second - times[index]) / (times[index + 1] - times[index])
    return value + share * (values[(index + 1) * width + column] - value)
  }
}
