import EventLoop
import HTTPClient
import Provisioning
import Quantities
import Settings
import System

/// The files, settings and network of this host for ``Provisioner``.
struct ProvisioningHost: ProvisioningSystem {
  /// The directory that stands for `/`; empty for the host itself.
  let root: String
  /// The time for a download, retries included.
  let downloadLimit: Duration
  let prepareBoard: (String) -> BoardOutcome

  private var facts: HostReader { HostReader(root: root) }

  // MARK: Files

  func names(in directory: String) -> [String] { HostReader.names(in: root + directory) }

  func read(_ path: String, limit: Int) throws(FileFault) -> [UInt8] {
    do { return try FileBytes.read(root + path, limit: limit) } catch { throw FileFault(error) }
  }

  func perform(_ step: FileStep) throws(FileFault) { try step.perform(below: root) }

  var identity: HostIdentity { facts.identity }
  var mounts: MountTable { facts.mounts }
  var hardware: SetupFacts { facts.hardware }
  var time: String { SystemClock.timestamp().iso8601() }
  func digest(_ bytes: [UInt8]) -> String { SHA256.text(of: bytes) }
  func report(_ line: String) { Console.complain("provision: \(line)") }

  // MARK: Settings

  func check(_ file: SourceText, for target: String) throws(InvalidConfiguration) -> [String] {
    do throws(ConfigurationFiles.Refusal) {
      return try ConfigurationFiles(.text(file, target: root + target), overrides: overrides).load().warnings
    } catch {
      throw InvalidConfiguration(error.description.split(separator: "\n").map(String.init))
    }
  }

  func apply(_ url: SetupURL, to target: String, isNew: Bool) throws(InvalidConfiguration) -> [String] {
    do {
      let loaded = try ConfigurationFiles(.named(root + target), overrides: overrides).load()
      let plan = url.plan(under: loaded.configuration)
      // A new file has the values already, unless earlier ones of the operator precede.
      if isNew, plan.request.values.keys.allSatisfy({ loaded.stored.operator[$0] == nil }) { return [] }
      let applied = try OperatorSettings.apply(plan.request, to: loaded, queue: .keep)
      return plan.cleared.map { "not in the URL, cleared: \($0)" } + plan.set.map { "set: \($0)" }
        + applied.consequences
    } catch {
      throw InvalidConfiguration("\(error)".split(separator: "\n").map(String.init))
    }
  }

  /// With another root, log and socket are below it, too.
  private var overrides: [String] {
    root.isEmpty
      ? [] : ["storage.directory=\(root)/var/lib/outrider", "api.socket=\(root)/run/outrider/api.sock"]
  }

  func setUpBoard(_ name: String) -> BoardOutcome { prepareBoard(name) }

  // MARK: Network

  func download(_ address: Endpoint, limit: Int) -> Download {
    let end = SystemClock.moment() + downloadLimit
    while true {
      let left = end - SystemClock.moment()
      let result = download(address, limit: limit, within: left)
      guard case .unreachable = result, SystemClock.moment() + .seconds(1) < end else { return result }
      // The network may come up at any moment.
      for _ in 0..<10 { LocalWait.briefly() }
    }
  }

  private func download(_ address: Endpoint, limit: Int, within time: Duration) -> Download {
    do {
      let loop = try EventLoop()
      let client = try HTTPClient(loop: loop)
      var request = HTTPClientRequest(.get, url: address.text)
      request.timeout = time
      request.connectTimeout = time
      request.responseLimit = limit
      request.keepsConnection = false
      var result = Download.unreachable(reason: "\(address): no response")
      client.perform(request) { outcome in
        switch outcome {
        case .response(let response) where response.status != 200: result = .rejected(status: response.status)
        case .response(let response): result = response.isCut ? .tooLarge : .content(response.body)
        case .failure(let failure): result = .unreachable(reason: "\(failure)")
        }
        loop.stop()
      }
      try loop.run()
      return result
    } catch {
      return .unreachable(reason: "\(address): \(error)")
    }
  }
}
