import Scheduling
import Settings

extension NotificationRules {
  /// The rules of a hook.
  package init(_ settings: NotificationSettings) {
    self.init()
    kinds = Set(settings.kinds)
    quiet = settings.quiet
    limit = settings.atMost.map { Limit(count: $0.count, period: $0.period) }
    if case .url(let endpoint) = settings.to { host = endpoint.host.lowercased() }
    hasFinal = !settings.isPlain
  }
}
