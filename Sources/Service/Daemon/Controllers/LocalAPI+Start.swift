import HTTPServer
import LocalAPI
import Settings
import System
import WebAccess

extension LocalAPI {
  /// Starts the local API as configured, on a Unix socket and perhaps a TCP port; nil without it. Logging does not depend
  /// on it.
  static func start(_ context: LoggerContext, controls: any LoggerControls) -> LocalAPI? {
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
      context.journal.log(.warning, "api.socket: \(error); logging continues without the local API")
      return nil
    }
    if let text = settings.listen { api.listen(on: text, context, controls) }
    return api
  }

  /// Follows changed settings.
  func follow(_ changes: SettingChanges, _ context: LoggerContext, controls: any LoggerControls) {
    let rules = AccessRules(context.configuration)
    if changes.atOnce.contains(where: { $0 == "page.enabled" || $0.hasPrefix("map.") }) { changePage(rules) }
    guard changes.atOnce.contains(where: { $0.hasPrefix("api.") }) else { return }
    changeAddress(rules) { [weak controls, unowned context] api in
      guard let controls, let text = context.configuration.api.listen else { return }
      api.listen(on: text, context, controls)
    }
  }

  private func listen(on text: String, _ context: LoggerContext, _ controls: any LoggerControls) {
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
      context.journal.log(.warning, "api.listen: \(error); logging continues without it")
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
