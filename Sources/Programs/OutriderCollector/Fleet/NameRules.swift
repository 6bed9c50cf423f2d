import PostgreSQL

/// The rules for names that operators give to devices and cohorts.
enum NameRules {
  /// The longest name in bytes, that of a `device_id`.
  static let longest = 200

  /// The value of an option that is a name; nil without the option.
  static func value(_ arguments: Arguments, _ option: String) throws(Arguments.Misuse) -> String? {
    guard let name = arguments.value(option) else { return nil }
    return try checked(name, option)
  }

  /// The name, if it is permitted. `origin` is the option or operand that it comes from.
  static func checked(_ name: String, _ origin: String) throws(Arguments.Misuse) -> String {
    guard !name.allSatisfy(\.isWhitespace) else {
      throw Arguments.Misuse(message: "\(origin): the name is empty; give one such as van-17")
    }
    guard name.utf8.count <= longest else {
      throw Arguments.Misuse(
        message: "\(origin): the name has \(name.utf8.count) bytes; use at most \(longest)")
    }
    let isPrintable = name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    guard isPrintable else {
      throw Arguments.Misuse(message: "\(origin): the name contains control characters; leave them out")
    }
    return name
  }

  /// Gives a device a name by a change of the database. Throws a misuse if it is taken; `remedy` is another way out than
  /// another name.
  static func give<Value>(
    _ name: String, _ origin: String, remedy: String = "", change: () throws(PostgresError) -> Value
  ) throws -> Value {
    do throws(PostgresError) { return try change() } catch {
      guard case .rejected(let answer) = error, answer.state == uniqueViolation else { throw error }
      throw Arguments.Misuse(
        message: "\(origin): another device is called \"\(name)\"; choose another name\(remedy)")
    }
  }

  /// "PostgreSQL Error Codes", appendix A of its documentation.
  private static let uniqueViolation = "23505"
}
