import HTTPServer
import LocalAPI
import Settings
import System
import WebAccess

extension LocalAPI {
  /// Starts the local API as configured, on a Unix socket and perhaps a TCP port; nil without it. Logging does not depend
  /// on it. A failure is reported if `reports`.
  static func start(
    _ context: LoggerContext, controls: any LoggerControls, reports: Bool
  ) -> LocalAPI? {
    let settings = context.configuration.api
    guard settings.isEnabled else { return nil }
    let api: LocalAPI
    do {
      if let slash = settings.socket.lastIndex(of: "/") {
        try FileBytes.makeDirectory(String(settings.socket[..<slash]))
      }
      api = try LocalAPI(
        loop: context.loop, path: settings.socket, controls: controls,
        access: AccessRules(context.configuration))
    } catch {
      if reports {
        context.journal.log(
          .warning, "api.socket: \(error); logging continues without the local API and retries")
      }
      return nil
    }
    if let text = settings.listen { api.listen(on: text, context, controls, reports: true) }
    return api
  }

  /// True if the socket or the TCP address of the configuration could not be opened, and another attempt may help.
  func isMissingAnAddress(of configuration: Configuration) -> Bool {
    !isChangingAddress && (!hasServer || isMissingNetwork(of: configuration))
  }

  private func isMissingNetwork(of configuration: Configuration) -> Bool {
    guard !hasNetwork, let text = configuration.api.listen else { return false }
    return ListenAddress(text) != nil && configuration.api.token?.revealed.isEmpty == false
  }

  /// Opens the socket and the TCP address again, if they are missing. A failure is reported if `reports`.
  func retry(_ context: LoggerContext, controls: any LoggerControls, reports: Bool) {
    let settings = context.configuration.api
    if !hasServer {
      do {
        if let slash = settings.socket.lastIndex(of: "/") {
          try FileBytes.makeDirectory(String(settings.socket[..<slash]))
        }
        try openSocket(settings.socket, controls: controls)
        context.journal.log(.notice, "api.socket: \(settings.socket) is served again")
        clearFailure(of: settings.socket)
      } catch {
        if reports {
          context.journal.log(.warning, "api.socket: \(error); logging continues without it and retries")
        }
        noteFailure(of: settings.socket, reason: "\(error)")
      }
    }
    guard !isChangingAddress, isMissingNetwork(of: context.configuration), let text = settings.listen else {
      return
    }
    listen(on: text, context, controls, reports: false)
    if hasNetwork { clearFailure(of: text) }
  }

  /// Follows changed settings.
  func follow(
    _ changes: SettingChanges, _ context: LoggerContext, controls: any LoggerControls,
    _ done: @escaping () -> Void
  ) {
    let rules = AccessRules(context.configuration)
    if changes.atOnce.contains(where: { $0 == "page.enabled" || $0.hasPrefix("map.") }) { changePage(rules) }
    guard changes.atOnce.contains(where: { $0.hasPrefix("api.") }) else { return }
    changeAddress(rules) { [weak controls, unowned context] api in
      defer { done() }
      guard let controls, let text = context.configuration.api.listen else { return }
      api.listen(on: text, context, controls, reports: true)
    }
  }

  private func listen(
    on text: String, _ context: LoggerContext, _ controls: any LoggerControls, reports: Bool
  ) {
    guard let address = ListenAddress(text), context.configuration.api.token?.revealed.isEmpty == false else {
      context.journal.log(
        .warning, "api.listen: \(text) is not a valid address, or api.token is missing")
      noteFailure(of: text, reason: "not a valid address, or api.token is missing")
      return
    }
    do {
      let bound = try listen(loop: context.loop, on: address, controls: controls)
      context.journal.log(
        .notice, "api.listen: the local API listens on \(bound) and requires api.token")
    } catch {
      if reports {
        context.journal.log(.warning, "api.listen: \(error); logging continues without it and retries")
      }
      noteFailure(of: text, reason: "\(error)")
    }
  }
}

extension AccessRules {
  init(_ configuration: Configuration) {
    let api = configuration.api
    let policy = AccessPolicy(
      token: api.token?.revealed, deviceID: configuration.deviceID,
      hosts: HostNames(hostName: ProcessEnvironment.hostName, further: api.names), guest: api.guest)
    let map = MapOptions(configuration.map)
    let page =
      configuration.page.isEnabled
      ? PageFiles(folder: PageFiles.usualFolder, tileOrigin: map.tileOrigin) : nil
    self.init(policy: policy, page: page, map: map)
  }
}

extension MapOptions {
  init(_ settings: MapSettings) {
    let tiles: Tiles =
      switch settings.tiles {
      case nil: .none
      case .file(let path): .file(path)
      case .server(let template): .server(template: template.text, origin: template.origin)
      }
    self.init(
      tiles: tiles, attribution: settings.attribution, maxZoom: settings.maxZoom, lookback: settings.lookback,
      minPathLength: settings.minPathLength)
  }
}
