/// `outrider metrics`: prints the metrics of the running logger.
enum MetricsCommand: Command {
  static let name = "metrics"
  static let group = CommandGroup.query
  static let summary = "print the figures of the running logger for Prometheus"
  static let description = CommandDescription(
    text: [
      """
      Prints what GET /metrics of the local API returns, in the text format of Prometheus. With it, the \
      textfile collector of node_exporter reports a device that no monitoring system can reach.
      """
    ],
    options: ConfigurationFiles.options,
    exitStatus: "0 printed; 1 no logger responds; 2 misuse or invalid configuration")

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    guard let body = try LocalCommand.ask(arguments, .get, "/metrics") else { return 1 }
    Console.print(
      String(decoding: body.last == UInt8(ascii: "\n") ? body.dropLast() : body[...], as: UTF8.self))
    return 0
  }
}
