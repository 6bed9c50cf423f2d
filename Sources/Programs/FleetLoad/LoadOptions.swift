import Quantities

/// The command line of the load generator.
struct LoadOptions {
  struct Misuse: Error {
    var message: String
  }

  var port: UInt16 = 8090
  var path = "/api/v1/batches"
  var devices = 1000
  var seconds = 10
  /// The number of records of a batch.
  var batch = 200
  /// Records per second of all devices together; 0 sends as fast as the server answers.
  var rate = 0
  var isPacked = false
  /// The shares of batches, in percent: repeated after their acknowledgement, and dropped before the answer.
  var repeated = 5
  var dropped = 2
  /// The share of devices with a backlog of 10,000 records, in percent.
  var backlog = 0
  /// The share of requests after which the connection is closed, in percent.
  var closed = 10
  /// The number of connections that are opened and send nothing after a first request.
  var idle = 0
  var seed: UInt64 = 1
  /// The tokens, one per device; otherwise `PREFIX-N`.
  var tokenFile: String?
  var tokenPrefix = "load"
  /// The number of the first record, so that a further run sends new ones.
  var first = 1
  /// The factor by which the devices' time is faster: for `Retry-After`, and for the hour between two times that
  /// a queue goes back.
  var speed = 1
  /// Seconds after the end in which all devices must have finished.
  var patience = 120
  var isJSON = false

  static let help = """
    Usage: FleetLoad [--NAME=VALUE…]

    Sends the batches of virtual devices to an ingest server on 127.0.0.1, and prints what was acknowledged.

      port, path, devices, seconds, batch, rate (records/s, 0 is saturation), packed (0 or 1), repeated, dropped,
      backlog, closed (percent), idle (connections), seed, first (record number), tokens (file), prefix (of tokens),
      speed (of the devices' time), patience (seconds after the end), json (0 or 1)

    At the end, every device asks for `have`, and sends again what the server lacks.
    Checksum for comparison with the tables: bit_xor((record << 20) + latitude_e7 + longitude_e7::bigint * 7)
    """

  init(_ words: ArraySlice<String>) throws(Misuse) {
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, parts[0].hasPrefix("--") else {
        throw Misuse(message: "expected --NAME=VALUE, got \(word)")
      }
      let name = parts[0].dropFirst(2)
      switch name {
      case "path": path = parts[1]
      case "tokens": tokenFile = parts[1]
      case "prefix": tokenPrefix = parts[1]
      default:
        guard let number = Int(parts[1]), number >= 0 else {
          throw Misuse(message: "\(parts[0]): expected a number")
        }
        try set(name, number)
      }
    }
  }

  private mutating func set(_ name: Substring, _ number: Int) throws(Misuse) {
    switch name {
    case "port": port = UInt16(clamping: number)
    case "devices": devices = number
    case "seconds": seconds = number
    case "batch": batch = max(number, 1)
    case "rate": rate = number
    case "packed": isPacked = number == 1
    case "repeated": repeated = number
    case "dropped": dropped = number
    case "backlog": backlog = number
    case "closed": closed = number
    case "idle": idle = number
    case "seed": seed = UInt64(number)
    case "first": first = max(number, 1)
    case "speed": speed = max(number, 1)
    case "patience": patience = number
    case "json": isJSON = number == 1
    default: throw Misuse(message: "unknown option --\(name)")
    }
  }

  /// The time between two batches of a device.
  var interval: Duration {
    rate == 0 ? .zero : .microseconds(Int64(1_000_000 * Double(batch * devices) / Double(rate)))
  }
}
