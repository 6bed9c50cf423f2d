import JSON

/// What a command that changes something has done, as the object that `--json` prints. It has the keys that apply.
struct FleetReply: Encodable {
  var device: String?
  var cohort: String?
  var role: String?
  var token: String?
  /// False if the requests of the device are refused.
  var enabled: Bool?
  /// True if the device may enrol once more.
  var may_enrol: Bool?
  /// The number of a question to a device.
  var id: Int64?
  /// The version whose settings were added.
  var version: String?
  /// The steps that brought the database up to date.
  var done: [String]?
  /// The keys that are desired now, or no longer.
  var keys: [String]?
  /// The keys that were not desired before.
  var not_desired: [String]?
  var warnings: [String]?
  /// The number of records that were deleted.
  var deleted: Int64?
  /// The reason why nothing was done.
  var error: String?

  /// The JSON if the command line asks for it, otherwise the text for people.
  func text(_ arguments: Arguments, or text: @autoclosure () -> String) -> String {
    arguments.has("--json") ? json : text()
  }

  var json: String {
    (try? SortedJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
