import EventLoop
import HTTPClient
import Quantities
import Scheduling
import Settings
import System

/// Calls the hooks of a configuration once with a marked event, without a logger.
public enum NotificationTest {
  /// The answer of one hook.
  public struct Result: Equatable, Sendable {
    /// The program, or the URL without what may be secret.
    public let to: String
    public let isSuccess: Bool
    /// The status, or the reason of a failure.
    public let text: String
    /// What to do about a failure; nil for success.
    public let remedy: String?
  }

  /// Calls all hooks of a configuration and waits for their answers. Throws errors of the kernel and of libcurl.
  public static func run(_ configuration: Configuration) throws(SystemError) -> [Result] {
    let loop = try EventLoop()
    let client = try HTTPClient(loop: loop)
    let notifiers = configuration.notifications.map {
      Notifier($0, loop: loop, client: client, version: Release.version)
    }
    let test = Scheduling.Notification(testOf: configuration.deviceID, at: loop.clock.timestamp())
    for notifier in notifiers {
      notifier.outputs.idle = {
        if !notifiers.contains(where: \.queue.isBusy) { loop.stop() }
      }
      notifier.process(
        HookQueue.Event(
          NotificationMessage([test]), deviceID: configuration.deviceID,
          asText: notifier.settings.form == .text))
    }
    if notifiers.contains(where: \.queue.isBusy) { try loop.run() }
    defer { for notifier in notifiers { notifier.stop() } }
    return notifiers.map { notifier in
      let answer = notifier.answers.test
      let isSuccess = answer?.isSuccess ?? false
      let text = answer?.text ?? "no answer"
      return Result(
        to: "\(notifier.settings.to)", isSuccess: isSuccess, text: text,
        remedy: isSuccess ? nil : remedy(of: notifier.settings, text))
    }
  }

  /// What to do about a failure.
  static func remedy(of hook: NotificationSettings, _ failure: String) -> String {
    guard case .url = hook.to else {
      return "run it by hand as the user of the service, with the kind of an event as its argument"
    }
    switch failure {
    case "status 401", "status 403": return "check the token in headers"
    case "status 404", "status 405": return "check the path of the URL"
    case "status 400", "status 415", "status 422":
      return hook.form == .json
        ? "the service may take text only: set form to text"
        : "the service may take JSON only: set form to json"
    case "status 429": return "the service limits the calls: set at_most"
    case _ where failure.hasPrefix("status "): return "see the messages of the service"
    default: return "check the address, and the network of this host"
    }
  }
}
