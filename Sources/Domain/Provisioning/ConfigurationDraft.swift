import Quantities
import Settings

/// A new configuration file with the settings that a set-up asks for.
public struct ConfigurationDraft: Equatable, Sendable {
  public var board: String?
  /// The serial port of the receiver; nil if the board has it.
  public var port: String?
  /// True if the receiver is read through the gpsd of this host.
  public var usesGPSD = false
  public var deviceID: String?
  public var sendsUniqueID = false
  public var destination: Destination?

  /// The destination of the records.
  public struct Destination: Equatable, Sendable {
    /// The name in the file; an existing queue belongs to this name.
    public var name: String
    public var kind: DestinationKind
    /// The address, or the directory of kind `file`.
    public var address: String
    public var token: Secret?

    public init(name: String, kind: DestinationKind, address: String, token: Secret? = nil) {
      (self.name, self.kind, self.address, self.token) = (name, kind, address, token)
    }
  }

  public init() {}

  /// The settings of a setup URL, with the hardware that was detected. Parameters that the URL does not contain keep their
  /// defaults.
  public init(_ url: SetupURL, _ facts: SetupFacts) {
    if facts.isDetected, let detected = facts.boards.first {
      board = detected.name
      if detected.name == SetupFacts.usbBoard { port = facts.usbPorts.first }
    }
    deviceID = url.deviceID
    sendsUniqueID = url.sendsUniqueID
    destination = url.url.map {
      Destination(name: "overland", kind: .overland, address: $0.text, token: url.token)
    }
  }

  /// The text of the file. The comment is its first line.
  public func text(comment: String) -> String {
    var lines = ["// \(comment)", "{"]
    if let board { lines.append("  board: \(Self.quoted(board)),") }
    if usesGPSD {
      lines.append("  receiver: { gpsd: \"localhost\" },")
    } else if let port {
      lines.append("  receiver: { port: \(Self.quoted(port)) },")
    }
    if let deviceID { lines.append("  device_id: \(Self.quoted(deviceID)),") }
    if sendsUniqueID { lines.append("  unique_id: true,") }
    if let destination {
      let key = destination.kind == .file ? "directory" : "url"
      var row = "{ name: \(Self.quoted(destination.name)), kind: \"\(destination.kind.rawValue)\""
      row += ", \(key): \(Self.quoted(destination.address))"
      if let token = destination.token { row += ", token: \(Self.quoted(token.revealed))" }
      lines += ["  destinations: [", "    \(row) },", "  ],"]
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.appendJSONString(text)
    return String(decoding: bytes, as: UTF8.self)
  }
}
