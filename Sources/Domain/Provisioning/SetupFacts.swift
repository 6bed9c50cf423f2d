/// What the set-up knows about the host before it asks.
public struct SetupFacts: Equatable, Sendable {
  /// A board file.
  public struct Board: Equatable, Sendable {
    public var name: String
    public var title: String
    /// The serial port of its receiver; nil if the configuration must name one.
    public var port: String?

    public init(name: String, title: String, port: String?) {
      (self.name, self.title, self.port) = (name, title, port)
    }
  }

  /// The boards, the most likely one first.
  public private(set) var boards: [Board]
  /// True if the first board was detected.
  public private(set) var isDetected: Bool
  /// The serial ports that are present, by their lasting names.
  public private(set) var ports: [String]
  /// True if a gpsd runs or starts on demand.
  public private(set) var hasGPSD: Bool

  /// The board for any host with a receiver on USB.
  static let usbBoard = "usb-receiver"
  /// The directory of the names of USB ports that last.
  public static let lastingNames = "/dev/serial/by-id"
  /// The serial port of the 40-pin header, on boards that name it.
  public static let headerPort = "/dev/serial0"

  /// Sorts the boards by the model in the device tree: its own board first, then that for a USB receiver if a port is
  /// present. The simulator is last.
  public init(boards: [Board], model: String?, ports: [String], hasGPSD: Bool = false) {
    func rank(_ board: Board) -> Int {
      let host = board.title.prefix { $0 != "," }
      if let model, host.utf8.count > 3, model.hasPrefix(host) { return 0 }
      if board.name == Self.usbBoard { return ports.contains(where: Self.isUSB) ? 1 : 2 }
      return board.name == "simulator" ? 3 : 2
    }
    self.boards = boards.sorted { (rank($0), $0.name) < (rank($1), $1.name) }
    isDetected = self.boards.first.map { rank($0) < 2 } ?? false
    self.ports = ports.sorted()
    self.hasGPSD = hasGPSD
  }

  /// The ports on USB, sorted.
  var usbPorts: [String] { ports.filter(Self.isUSB) }

  private static func isUSB(_ port: String) -> Bool { port.hasPrefix(lastingNames) }
}
