import FleetPolicy
import HTTPServer
import WebAccess

/// The options of `outrider-collector serve`.
struct ServeOptions {
  /// The connection string of the database (libpq, section 34.1.1).
  var database: String
  var listen = ListenAddress.tcp(address: "127.0.0.1", port: 8090)
  var metricsListen: ListenAddress?
  /// The limit of bytes in progress.
  var memory = 256_000_000
  /// The number of database connections.
  var connections = 4
  var rates = RequestRates.Limits()
  var retention = Retention()
  /// The width of the partitions of locations.
  var partitions = PartitionWidth.day
  /// The new devices of an enrolment token within an hour.
  var enrolments = 100
  /// True to keep the bodies of requests as received.
  var keepsBodies = false
  /// The proxy whose report on the certificates of clients counts; nil for none.
  var trustedProxy: String?
  /// The directory of the page's files; nil for no page.
  var page: String? = PageFiles.usualFolder(package: "outrider-collector")

  static let declared = [
    CommandOption(
      name: "--database", placeholder: "URL",
      text: "database, as postgresql://HOST/NAME (default: $OUTRIDER_DATABASE)"),
    CommandOption(
      name: "--listen", placeholder: "ADDRESS",
      text: "ADDRESS:PORT or unix:PATH of the server (default: 127.0.0.1:8090)"),
    CommandOption(
      name: "--metrics-listen", placeholder: "ADDRESS",
      text: "address of GET /metrics (default: none); other hosts need a token"),
    CommandOption(
      name: "--memory", placeholder: "SIZE",
      text: "limit of data in progress, with kB, MB or GB (default: 256MB)"),
    CommandOption(
      name: "--connections", placeholder: "N", text: "number of database connections (default: 4)"),
    CommandOption(
      name: "--trusted-proxy", placeholder: "ADDRESS",
      text: "proxy that checks client certificates and reports with X-Client-Verify"),
    CommandOption(
      name: "--page", placeholder: "FOLDER",
      text: "files of the page, or none for no page (default: those of the package)"),
    CommandOption(
      name: "--device-requests", placeholder: "N", text: "requests of one device in ten minutes (default: 60)"
    ),
    CommandOption(
      name: "--device-points", placeholder: "N",
      text: "records of one device in ten minutes (default: 200000)"),
    CommandOption(
      name: "--enrolments", placeholder: "N",
      text: "new devices of one enrolment token in an hour (default: 100)"),
    CommandOption(
      name: "--retention", placeholder: "DAYS", text: "days that locations are kept (default: without end)"),
    CommandOption(
      name: "--event-retention", placeholder: "DAYS",
      text: "days that events, visits, trips and actions are kept (default: without end)"),
    CommandOption(
      name: "--report-retention", placeholder: "DAYS",
      text: "days that reports are kept (default: without end)"),
    CommandOption(
      name: "--keep-bodies", placeholder: "", text: "store the bodies of requests, too, as received"),
    CommandOption(
      name: "--body-retention", placeholder: "DAYS", text: "days that bodies are kept (default: without end)"),
    CommandOption(
      name: "--partitions", placeholder: "WIDTH",
      text: "day or month: partitions of locations; month below a million a day (default: day)"),
  ]

  static let memoryRange = 64_000_000...1_000_000_000_000

  /// The options with a number.
  private static var numbers:
    [(name: String, value: WritableKeyPath<ServeOptions, Int>, range: ClosedRange<Int>)]
  {
    [
      ("--connections", \.connections, 1...64), ("--device-requests", \.rates.requests, 1...1_000_000),
      ("--device-points", \.rates.points, 1...1_000_000_000),
      ("--enrolments", \.enrolments, 0...1_000_000_000),
    ]
  }

  /// The options with a number of days.
  private static var retentions: [(name: String, days: WritableKeyPath<Retention, Int?>)] {
    [
      ("--retention", \.locationDays), ("--event-retention", \.eventDays),
      ("--report-retention", \.reportDays),
      ("--body-retention", \.bodyDays),
    ]
  }

  private static let retentionRange = 1...36_500

  /// Parses the words after the command. `environment` returns a variable.
  init(_ words: ArraySlice<String>, environment: (String) -> String?) throws(Arguments.Misuse) {
    let arguments = try Arguments(words, Self.declared)
    try arguments.rejectOperands()
    guard let database = arguments.value("--database") ?? environment("OUTRIDER_DATABASE"), !database.isEmpty
    else { throw Arguments.Misuse(message: "--database is required, such as postgresql:///outrider") }
    self.database = database
    if let text = arguments.value("--listen") { listen = try Self.address("--listen", text) }
    if let text = arguments.value("--metrics-listen") {
      metricsListen = try Self.address("--metrics-listen", text)
    }
    if let text = arguments.value("--memory") {
      guard let bytes = Self.bytes(text), Self.memoryRange.contains(bytes) else {
        throw Arguments.Misuse(message: "--memory: expected a size from 64MB, such as 256MB, got \"\(text)\"")
      }
      memory = bytes
    }
    if let text = arguments.value("--trusted-proxy") {
      guard !text.isEmpty, text.allSatisfy({ $0 == "." || $0 == ":" || $0.isHexDigit }) else {
        throw Arguments.Misuse(message: "--trusted-proxy: expected an IP address, got \"\(text)\"")
      }
      trustedProxy = text
    }
    if let text = arguments.value("--page") {
      guard !text.isEmpty else { throw Arguments.Misuse(message: "--page: expected a folder, or none") }
      page = text == "none" ? nil : text
    }
    for option in Self.numbers {
      if let text = arguments.value(option.name) {
        self[keyPath: option.value] = try Self.number(option.name, text, in: option.range)
      }
    }
    rates.enrolmentRequests = RequestRates.Limits.enrolmentRequests(enrolments: enrolments)
    if let text = arguments.value("--partitions") {
      guard let width = PartitionWidth(rawValue: text) else {
        throw Arguments.Misuse(message: "--partitions: expected day or month, got \"\(text)\"")
      }
      partitions = width
    }
    keepsBodies = arguments.has("--keep-bodies")
    for (name, days) in Self.retentions {
      if let text = arguments.value(name) {
        retention[keyPath: days] = try Self.number(name, text, in: Self.retentionRange)
      }
    }
  }

  private static func address(_ name: String, _ text: String) throws(Arguments.Misuse) -> ListenAddress {
    let isPath = text.hasPrefix("unix:")
    let rest = isPath ? String(text.dropFirst(5)) : text
    guard let address = isPath ? (rest.isEmpty ? nil : .unix(path: rest)) : ListenAddress(rest) else {
      throw Arguments.Misuse(message: "\(name): expected ADDRESS:PORT or unix:PATH, got \"\(text)\"")
    }
    return address
  }

  private static func number(
    _ name: String, _ text: String, in range: ClosedRange<Int>
  ) throws(Arguments.Misuse) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw Arguments.Misuse(
        message:
          "\(name): expected a whole number from \(range.lowerBound) to \(range.upperBound), got \"\(text)\"")
    }
    return number
  }

  /// Parses `256MB`; a number alone is in bytes. Nil for other texts.
  static func bytes(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let units = ["": 1, "kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000]
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard let number = Int(digits), let factor = units[String(unit)] else { return nil }
    let (bytes, isOver) = number.multipliedReportingOverflow(by: factor)
    return isOver ? nil : bytes
  }
}
