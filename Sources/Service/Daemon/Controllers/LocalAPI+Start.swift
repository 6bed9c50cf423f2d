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
    self.init(
      policy: policy, page: configuration.page.isEnabled ? PageFiles(folder: PageFiles.usualFolder) : nil)
  }
}
