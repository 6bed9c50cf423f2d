/// What keeps a text from being JSON5.
public enum SyntaxProblem: Error, Equatable, Sendable {
  public enum Expected: Equatable, Sendable {
    case key, colon, value, closingQuote
    /// A comma or this closing bracket (ASCII).
    case commaOr(UInt8)
  }

  /// More bytes than any settings file has.
  case tooLarge(bytes: Int, limit: Int)
  case notUTF8
  /// Nothing but white space and comments.
  case empty
  /// The outermost value is not `{ … }`.
  case notAGroup
  case textAfterEnd
  /// This scalar (nil: the end of the text) stands where something else should.
  case unexpected(Unicode.Scalar?, expected: Expected)
  /// This opening bracket (ASCII) has no partner.
  case neverClosed(UInt8)
  case unterminatedText
  case unterminatedComment
  case textWithoutQuotes
  case tooDeep(limit: Int)
  case tooManyValues(limit: Int)
  /// A number, an escape or a key without quotes that cannot be read.
  case unreadable
}

extension SyntaxProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "\(bytes) bytes are too many, the limit is \(limit)"
    case .notUTF8: "this is not UTF-8; save the file in that encoding"
    case .empty: "nothing stands here; write {} for no settings"
    case .notAGroup: "settings must stand between { and }"
    case .textAfterEnd: "something follows after the end; one bracket may be too many"
    case .unexpected(let scalar, let expected):
      "expected \(expected)"
        + (scalar.map { ", got \($0.properties.isWhitespace ? Self.code($0) : Shown.quoted(String($0)))" }
          ?? ", got the end")
    case .neverClosed(let bracket): "this \(Self.character(bracket)) is never closed"
    case .unterminatedText: "this text has no closing quote on its line"
    case .unterminatedComment: "this comment has no closing */"
    case .textWithoutQuotes: "text must stand in quotes"
    case .tooDeep(let limit): "brackets stand deeper than \(limit) in each other"
    case .tooManyValues(let limit): "more than \(limit) values"
    case .unreadable: "this number, escape or key cannot be read"
    }
  }

  private static func code(_ scalar: Unicode.Scalar) -> String {
    "U+" + String(scalar.value, radix: 16, uppercase: true)
  }

  fileprivate static func character(_ byte: UInt8) -> String { String(Unicode.Scalar(byte)) }
}

extension SyntaxProblem.Expected: CustomStringConvertible {
  public var description: String {
    switch self {
    case .key: "a key"
    case .colon: "a colon after the key"
    case .value: "a value"
    case .closingQuote: "more text or the closing quote"
    case .commaOr(let bracket): "a comma or \(SyntaxProblem.character(bracket))"
    }
  }
}
