/// The reason why a text is not JSON5.
public enum SyntaxProblem: Error, Equatable, Sendable {
  /// The expected element.
  public enum Expected: Equatable, Sendable {
    case key, colon, value, closingQuote
    /// A comma or this closing bracket (ASCII).
    case commaOr(UInt8)
  }

  /// The file exceeds the size limit of a settings file.
  case tooLarge(bytes: Int, limit: Int)
  case notUTF8
  /// The file contains only white space and comments.
  case empty
  /// The outermost value is not `{ … }`.
  case notAGroup
  case textAfterEnd
  /// An unexpected scalar (nil: the end of the text).
  case unexpected(Unicode.Scalar?, expected: Expected)
  /// An opening bracket (ASCII) without a closing one.
  case neverClosed(UInt8)
  case unterminatedText
  case unterminatedComment
  case textWithoutQuotes
  case tooDeep(limit: Int)
  case tooManyValues(limit: Int)
  /// An invalid number, escape or unquoted key.
  case unreadable
}

extension SyntaxProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "the text has \(bytes) bytes; the limit is \(limit) bytes"
    case .notUTF8: "the text is not UTF-8; save it in this encoding"
    case .empty: "the text is empty; write {} for no settings"
    case .notAGroup: "settings must be enclosed in { and }"
    case .textAfterEnd: "unexpected text after the end; check for an extra closing bracket"
    case .unexpected(let scalar, let expected):
      "expected \(expected)"
        + (scalar.map { ", got \($0.properties.isWhitespace ? Self.code($0) : Shown.quoted(String($0)))" }
          ?? ", got the end of the text")
    case .neverClosed(let bracket): "this \(Self.character(bracket)) is never closed"
    case .unterminatedText: "this text has no closing quote on its line"
    case .unterminatedComment: "this comment has no closing */"
    case .textWithoutQuotes: "text must be quoted"
    case .tooDeep(let limit): "brackets are nested more than \(limit) deep"
    case .tooManyValues(let limit): "more than \(limit) values"
    case .unreadable: "this number, escape or key is invalid"
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
