import Foundation

/// A JSON value that compares the output of an earlier version with that of the present one.
enum PromisedJSON: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case array([PromisedJSON])
  case object([String: PromisedJSON])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let array = try? value.decode([PromisedJSON].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: PromisedJSON].self))
    }
  }

  /// One value, or an array of the values of several lines.
  init(text: String) throws {
    if let one = try? JSONDecoder().decode(PromisedJSON.self, from: Data(text.utf8)) {
      self = one
      return
    }
    self = .array(
      try text.split(separator: "\n").map {
        try JSONDecoder().decode(PromisedJSON.self, from: Data($0.utf8))
      })
  }

  enum Comparison {
    /// Keys and types.
    case shape
    /// Keys, types and values; numbers to a part in ten million.
    case values
  }

  /// Lists the parts of `promised` that are missing or different in this value, one line per path. Additions are allowed.
  ///
  /// By shape, the elements of an array are merged: an array of objects promises the keys that any of them has.
  func breaks(of promised: PromisedJSON, by comparison: Comparison, at path: String = "$") -> [String] {
    switch (promised, self) {
    case (.null, _): return []
    case (.bool(let old), .bool(let new)):
      return comparison == .shape || old == new ? [] : ["\(path): \(old), now \(new)"]
    case (.number(let old), .number(let new)):
      let isSame = abs(old - new) <= 1e-7 * max(1, abs(old))
      return comparison == .shape || isSame ? [] : ["\(path): \(old), now \(new)"]
    case (.text(let old), .text(let new)):
      return comparison == .shape || old == new ? [] : ["\(path): \"\(old)\", now \"\(new)\""]
    case (.object(let old), .object(let new)):
      return old.keys.sorted().flatMap { key -> [String] in
        guard let value = new[key] else { return old[key] == .null ? [] : ["\(path).\(key): is gone"] }
        return value.breaks(of: old[key] ?? .null, by: comparison, at: "\(path).\(key)")
      }
    case (.array(let old), .array(let new)):
      guard comparison == .values else {
        guard !old.isEmpty else { return [] }
        guard !new.isEmpty else { return ["\(path): has no element"] }
        return Self.together(new).breaks(of: Self.together(old), by: .shape, at: "\(path)[]")
      }
      guard new.count >= old.count else { return ["\(path): \(old.count) elements, now \(new.count)"] }
      return zip(old, new).enumerated().flatMap { index, pair in
        pair.1.breaks(of: pair.0, by: .values, at: "\(path)[\(index)]")
      }
    default: return ["\(path): \(promised), now \(self)"]
    }
  }

  /// The merged elements of an array.
  private static func together(_ values: [PromisedJSON]) -> PromisedJSON {
    values.dropFirst().reduce(values.first ?? .null) { $0.merged(with: $1) }
  }

  private func merged(with other: PromisedJSON) -> PromisedJSON {
    switch (self, other) {
    case (.null, _): other
    case (.object(let a), .object(let b)): .object(a.merging(b) { $0.merged(with: $1) })
    case (.array(let a), .array(let b)): .array(a + b)
    default: self
    }
  }
}
