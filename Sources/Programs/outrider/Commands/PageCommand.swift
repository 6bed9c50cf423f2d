import Glibc
import HTTPServer
import JSON
import LocalAPI
import QRCode
import Settings
import System
import WebAccess

/// `outrider page`: the ways to open the page of the logger.
enum PageCommand: Command {
  static let name = "page"
  static let group = CommandGroup.query
  static let summary = "show how to open the web page"
  static let description = CommandDescription(
    forms: ["[--token]"],
    text: [
      """
      Prints the addresses of the web page of the logger. The page is always available through ssh; the port can be \
      any free one. With api.listen, other devices in the network open it directly, and sign in with api.token.
      """,
      """
      If the logger runs and listens, a QR code opens the page on a phone and signs in. It is valid once, for five \
      minutes.
      """,
    ],
    options: [
      .flag(
        "--token",
        text: """
          create api.token if none is set, store it as a setting of the operator, and print it
          """)
    ] + ConfigurationFiles.options,
    exitStatus: "0 printed; 1 the token cannot be saved; 2 misuse or invalid configuration")

  private struct Code: Decodable {
    var code: String
  }

  private struct Access: Decodable {
    var listening: [String]?
    var page_sign_in: Bool
  }

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let loaded: ConfigurationFiles.Loaded
    do { loaded = try ConfigurationFiles(arguments).load() } catch {
      Console.complain("\(error)")
      return 2
    }
    loaded.configurationWarnings.forEach(Console.complain)
    let api = loaded.configuration.api
    guard api.isEnabled, loaded.configuration.page.isEnabled else {
      Console.complain("page: api.enabled or page.enabled is false; set both to true")
      return 2
    }
    for line in sshLines(socket: api.socket, host: ProcessEnvironment.hostName) { Console.print(line) }
    if arguments.has("--token"), try !makeToken(loaded) { return 1 }
    guard let listen = api.listen, let address = ListenAddress(listen) else {
      Console.print("other devices: off; set api.listen=0.0.0.0:8080 to open the page in the network")
      return 0
    }
    let urls = urls(of: address, addresses: HostAddresses.ipv4)
    for url in urls { Console.print("other devices: \(url)") }
    if let token = api.token?.revealed, token.utf8.count < AccessPolicy.shortestPageToken, !address.isLocal {
      Console.print(
        "api.token has fewer than \(AccessPolicy.shortestPageToken) characters: the page does not accept it; set a "
          + "longer one, or unset it and run outrider page --token")
      return 0
    }
    try showCode(urls.first, socket: api.socket)
    return 0
  }

  /// The lines that explain the way through ssh.
  static func sshLines(socket: String, host: String) -> [String] {
    [
      "through ssh, on your computer: ssh -N -L 8080:\(socket) \(host)",
      "then open http://localhost:8080/",
    ]
  }

  /// The URLs of the page at a listening address; `addresses` are those of the host, for a wildcard.
  static func urls(of address: ListenAddress, addresses: [String]) -> [String] {
    guard case .tcp(let host, let port) = address else { return [] }
    guard ["0.0.0.0", "::"].contains(host) else { return ["http://\(address)/"] }
    return addresses.map { "http://\($0):\(port)/" }
  }

  /// Creates a token if none is set; false after a message.
  private static func makeToken(_ loaded: ConfigurationFiles.Loaded) throws -> Bool {
    guard loaded.configuration.api.token == nil else {
      Console.print("token: api.token is set already")
      return true
    }
    let token = newToken()
    var request = OperatorRequest()
    request.values["api.token"] = token
    do {
      let applied = try OperatorSettings.applyWithWarning(request, to: loaded, queue: nil)
      Console.print("token: \(token)")
      Console.print("api.token: \(applied.words("set"))")
      return true
    } catch let refusal as LocalCall.Refusal {
      Console.complain("page: \(refusal)")
      return false
    }
  }

  /// A random token of 24 letters and digits, about 118 bits, without those that are easily confused.
  static func newToken() -> String {
    let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
    return String((0..<24).map { _ in letters[Int.random(in: letters.indices)] })
  }

  /// Shows a QR code that signs in, if a logger runs and accepts it.
  private static func showCode(_ url: String?, socket: String) throws {
    do {
      guard let url, let access = try LocalCall.ask(socket, .get, "/access"),
        let facts = try? CheckedJSON(access).decode(Access.self), facts.listening?.count ?? 0 > 1,
        let answer = try LocalCall.ask(socket, .post, "/access/code"),
        let code = try? CheckedJSON(answer).decode(Code.self)
      else {
        Console.print(
          "no code: the logger does not run, or does not listen; start it and run outrider page again")
        return
      }
      let target = "\(url)#code=\(code.code)"
      try QRMatrix(target).lines(colors: isatty(STDOUT_FILENO) == 1).forEach(Console.print)
      Console.print("valid once, for five minutes: \(target)")
    } catch {
      Console.complain("page: \(error)")
    }
  }
}
