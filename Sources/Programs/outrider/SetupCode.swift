import GNSSProtocol
import Glibc
import LocalAPI
import QRCode
import Settings
import System

/// `outrider setup --show`: a setup URL as a QR code, on the terminal or as an image.
struct SetupCode {
  static let options: [CommandOption] = [
    .flag("--show", text: "show a setup URL as a QR code: the given one, or that of this device"),
    .value("--destination", "NAME", text: "with --show, the destination (default: the first overland one)"),
    .value("--png", "FILE", .file, text: "with --show, write a PNG image, readable for you alone"),
    .value("--svg", "FILE", .file, text: "with --show, write an SVG image, readable for you alone"),
  ]

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run() throws -> Int32 {
    let others = (SetupWizard.options + QueueChoice.options).flatMap(\.names).filter { $0 != "--device-id" }
    if let option = others.first(where: { arguments.has($0) || arguments.value($0) != nil }) {
      throw Arguments.Misuse(message: "\(option) cannot be combined with --show")
    }
    if arguments.value("--png") != nil, arguments.value("--svg") != nil {
      throw Arguments.Misuse(message: "--png and --svg cannot be combined; run the command twice")
    }
    guard let url = try url() else { return 2 }
    // A name on the command line may be one that the other device rejects.
    do { _ = try SetupURL(url.revealed) } catch {
      Console.complain("setup: \(error)")
      return 2
    }
    let code: QRMatrix
    do { code = try QRMatrix(url.revealed) } catch {
      Console.complain("setup: \(error); shorten address, token or name")
      return 1
    }
    let isSecret = url.token != nil || url.url?.mayHaveSecret == true
    guard !isSecret || isConfirmed(url.token == nil ? "address" : "token") else { return 1 }
    for (option, image) in [("--png", { try code.png() }), ("--svg", { code.svg })] {
      guard let path = arguments.value(option) else { continue }
      var facts = stat()
      guard stat(path, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG else {
        Console.complain("setup: \(path) is not a regular file; choose another name")
        return 1
      }
      do {
        // The directory is flushed, too, and so must be a part of the path.
        try FileBytes.replace(path.contains("/") ? path : "./\(path)", with: try image(), mode: 0o600)
      } catch {
        Console.complain("setup: \(error); check the directory and its permissions")
        return 1
      }
      Console.print("written: \(path)")
      return 0
    }
    code.lines(colors: isatty(STDOUT_FILENO) == 1).forEach(Console.print)
    Console.print(url.revealed)
    return 0
  }

  /// The given URL, or that of this device; nil after a message.
  private func url() throws -> SetupURL? {
    if let text = arguments.operands.first {
      for option in ["--destination", "--device-id"] where arguments.value(option) != nil {
        throw Arguments.Misuse(message: "\(option) cannot be combined with a setup URL")
      }
      do { return try SetupURL(text) } catch {
        Console.complain("setup: \(error)")
        return nil
      }
    }
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).load().configuration } catch {
      Console.complain("\(error)")
      return nil
    }
    let destination: DestinationSettings
    if let name = arguments.value("--destination") {
      guard let named = configuration.destination(named: name) else { return nil }
      guard named.kind == .overland else {
        Console.complain(
          "setup: destination \"\(name)\" is of kind \(named.kind.rawValue), which has no setup URL; "
            + "name one of kind overland")
        return nil
      }
      destination = named
    } else {
      guard let first = configuration.destinations.first(where: { $0.kind == .overland }) else {
        Console.complain(
          "setup: no destination of kind overland is configured, so there is no setup URL; give one, or configure "
            + "a destination with outrider setup")
        return nil
      }
      destination = first
      if configuration.destinations.filter({ $0.kind == .overland }).count > 1 {
        Console.complain(
          "setup: the code is that of destination \"\(first.name)\"; --destination names another one")
      }
    }
    return SetupURL(
      url: destination.url, token: destination.token,
      deviceID: arguments.value("--device-id") ?? destination.deviceID ?? configuration.deviceID,
      sendsUniqueID: configuration.sendsUniqueID)
  }

  private func isConfirmed(_ secret: String) -> Bool {
    if arguments.has("--yes") { return true }
    let meaning = "the code contains the \(secret); everybody who sees it can send as this device"
    guard Terminal.isPresent else {
      Console.complain("setup: \(meaning); add --yes to show it nevertheless")
      return false
    }
    Console.print("\(meaning); show it? [y/N]")
    if ["y", "yes"].contains((readLine() ?? "").lowercased()) { return true }
    Console.print("nothing was shown")
    return false
  }
}
