import EventLoop
import Glibc
import JSON
import LocalAPI
import QRCode
import Quantities

/// `outrider hotspot`: the system's own hotspot for ten minutes, so that a phone opens the page without a network.
enum HotspotCommand: Command {
  static let name = "hotspot"
  static let group = CommandGroup.control
  static let summary = "open a Wi-Fi network for the page for ten minutes"
  static let description = CommandDescription(
    forms: ["on | off | status [--json]"],
    text: [
      """
      Switches on a Wi-Fi network of the device through NetworkManager, and prints its name, its password and the \
      address of the page, with a QR code for a phone. It ends by itself after ten minutes, even if the logger does \
      not run; on starts them again.
      """,
      """
      It requires the package, NetworkManager with dnsmasq-base, api.listen on all addresses, and api.token of at least \
      16 characters.
      """,
    ],
    options: [.flag("--json", text: "print the state as one JSON object")] + ConfigurationFiles.options,
    exitStatus: """
      0 success; 1 no logger responds, it rejects the request, or the hotspot cannot be switched; 2 misuse or invalid \
      configuration
      """,
    operands: .words(["on", "off", "status"]))

  /// The state, as `GET /hotspot` returns it.
  struct State: Decodable, Equatable {
    var state: String
    var ssid: String?
    var password: String?
    var address: String?
    var ends_in_s: Int?
    var trouble: String?

    var isChanging: Bool { state == "starting" || state == "ending" }
  }

  /// The time between two requests for the state, and the number of requests: the units take a minute at most.
  private static let (pause, attempts) = (Duration.milliseconds(500), 140)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    let isOn: Bool?
    switch arguments.operands {
    case ["on"]: isOn = true
    case ["off"]: isOn = false
    case ["status"]: isOn = nil
    default: throw Arguments.Misuse(message: "expected on, off or status")
    }
    let answer =
      if let isOn {
        try LocalCommand.ask(arguments, .post, "/hotspot", body: Array(#"{"on":\#(isOn)}"#.utf8))
      } else {
        try LocalCommand.ask(arguments, .get, "/hotspot")
      }
    guard var body = answer, var state = Self.state(body) else { return 1 }
    let loop = try EventLoop()
    for _ in 0..<attempts where isOn != nil && state.isChanging {
      try wait(pause, loop)
      guard let next = try LocalCommand.ask(arguments, .get, "/hotspot"), let read = Self.state(next) else {
        return 1
      }
      (body, state) = (next, read)
    }
    if arguments.has("--json") {
      Console.write(body + Array("\n".utf8))
    } else {
      for line in lines(state, colors: isatty(STDOUT_FILENO) == 1) { Console.print(line) }
    }
    if let trouble = state.trouble { Console.complain("hotspot: \(trouble)") }
    return isOn == nil || state.state == (isOn == true ? "on" : "off") && state.trouble == nil ? 0 : 1
  }

  private static func state(_ body: [UInt8]) -> State? {
    guard let state = try? CheckedJSON(body).decode(State.self) else {
      Console.complain("hotspot: the logger returned an unexpected response; is it of another version?")
      return nil
    }
    return state
  }

  private static func wait(_ time: Duration, _ loop: EventLoop) throws {
    let timer = loop.addTimer("hotspot") { _ in loop.stop() }
    timer.arm(at: loop.now + time)
    try loop.run()
    loop.removeTimer(timer)
  }

  /// The state for people.
  static func lines(_ state: State, colors: Bool) -> [String] {
    guard let ssid = state.ssid, let password = state.password, let address = state.address else {
      return ["hotspot: \(state.state)"]
    }
    var lines = ["network:  \(ssid)", "password: \(password)", "page:     \(address)"]
    if let seconds = state.ends_in_s { lines.append("ends in:  \(max((seconds + 59) / 60, 1)) min") }
    lines += (try? QRMatrix(code(ssid, password)).lines(colors: colors)) ?? []
    lines.append(
      "The code joins the network. Its phone may report that there is no internet: stay connected.")
    return lines
  }

  /// The text of a QR code that joins a Wi-Fi network.
  static func code(_ ssid: String, _ password: String) -> String {
    func escaped(_ text: String) -> String {
      text.map { "\\;,:\"".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
    return "WIFI:T:WPA;S:\(escaped(ssid));P:\(escaped(password));;"
  }
}
