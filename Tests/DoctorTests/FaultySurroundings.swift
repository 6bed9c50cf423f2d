import Doctor
import MQTTClient
import Settings

/// Faults of network and destinations.
enum FaultySurroundings {
  /// The broker's fault as a running logger reports it.
  private static func brokerFails(_ facts: inout SystemFacts, _ failure: MQTTFailure) {
    let text = "\(failure)"
    facts.network.destinations[1].steps = [NetworkFacts.brokerStep(ofFault: text): .bad(text)]
  }

  static let cases: [CheckCase] = [
    CheckCase("token-length", "warning", "fewer than 16 characters", last: "outrider page --token") { facts in
      facts.configuration.settings?.api.listen = "0.0.0.0:8080"
      facts.configuration.settings?.api.token = Secret("fifteen letters")
    },
    CheckCase("token-length", "ok", "at least 16 characters") { facts in
      facts.configuration.settings?.api.listen = "0.0.0.0:8080"
      facts.configuration.settings?.api.token = Secret("sixteen letters!")
    },
    CheckCase("token-length", "ok", "only this host") { facts in
      facts.configuration.settings?.api.listen = "127.0.0.1:8080"
      facts.configuration.settings?.api.token = Secret("short")
    },
    CheckCase("route", "warning", "no default route") { $0.network.defaultRoutes = .known([]) },
    CheckCase("route", "skipped", "switches the network on") { facts in
      facts.network.defaultRoutes = .known([])
      facts.configuration.settings?.network.up = "/usr/local/bin/up"
    },
    CheckCase("captive", "error", "portal") { $0.network.connectivity = "portal" },
    CheckCase("captive", "warning", "redirects") { facts in
      facts.network.destinations[0].isEncrypted = false
      facts.network.destinations[0].steps["answer"] = .bad("status 302; check the url: the server redirects")
    },
    CheckCase("proxy", "error", "no connection") { facts in
      facts.network.destinations[0].steps["connection"] = .bad("proxy: no connection")
    },
    CheckCase("name-resolves", "error", "cannot resolve") { facts in
      facts.network.destinations[0].steps["name"] = .bad("cannot resolve the host name")
    },
    CheckCase("name-resolves", "skipped", "see route") { facts in
      facts.network.destinations[0].steps["name"] = .bad("cannot resolve the host name")
      facts.network.defaultRoutes = .known([])
    },
    CheckCase("name-resolves", "skipped", "--offline") { $0.network.untested = "--offline" },
    CheckCase("tls", "skipped", "see name-resolves") { facts in
      facts.network.destinations = [facts.network.destinations[0]]
      facts.network.destinations[0].steps = ["name": .bad("cannot resolve the host name")]
    },
    CheckCase("token", "ok", "cannot be verified") { facts in
      facts.network.destinations[0].steps["token"] = .unknown("cannot be verified without sending a record")
    },
    CheckCase("tls", "error", "not trusted") { facts in
      facts.network.destinations[0].steps["encryption"] = .bad("not trusted")
    },
    CheckCase("tls", "warning", "expires in 6 days") { facts in
      facts.network.destinations[0].certificateSeconds = 6 * 86_400 + 100
    },
    CheckCase("token", "error", "status 401") { facts in
      facts.network.destinations[0].steps["token"] = .bad("status 401; check the token and the account")
    },
    CheckCase("token", "error", "status 502") { facts in
      facts.network.destinations[0].steps["answer"] = .bad("status 502; check the server's log")
    },
    CheckCase("broker", "error", "not authorised", remedy: "correct user and password of broker") { facts in
      facts.network.destinations[1].steps["token"] = .bad("not authorised")
    },
    CheckCase("broker", "error", "rejects topic", remedy: "access list", without: "password") { facts in
      facts.network.destinations[1].steps["answer"] = .bad("the broker rejects topic owntracks/me/unit")
    },
    CheckCase("broker", "skipped", "see name-resolves") { brokerFails(&$0, .nameNotResolved(broker: "b")) },
    CheckCase("name-resolves", "error", "broker: b: cannot resolve", remedy: "resolvectl query broker.") {
      brokerFails(&$0, .nameNotResolved(broker: "b"))
    },
    CheckCase("broker", "skipped", "see name-resolves") {
      brokerFails(&$0, .unreachable(broker: "b", reason: "refused"))
    },
    CheckCase("name-resolves", "error", "refused", remedy: "nc -zv broker.example.org 8883") {
      brokerFails(&$0, .unreachable(broker: "b", reason: "refused"))
    },
    CheckCase("name-resolves", "skipped", "see route") { facts in
      brokerFails(&facts, .unreachable(broker: "b", reason: "no route"))
      facts.network.defaultRoutes = .known([])
    },
    CheckCase("broker", "skipped", "see tls") { brokerFails(&$0, .tls(broker: "b", reason: "unknown CA")) },
    CheckCase("tls", "error", "unknown CA", last: "ca_file of broker") {
      brokerFails(&$0, .tls(broker: "b", reason: "unknown CA"))
    },
    CheckCase("broker", "error", "bad password", remedy: "correct user and password of broker") {
      brokerFails(&$0, .notAdmitted(broker: "b", reason: "bad password"))
    },
    CheckCase("broker", "error", "busy", without: "password") { brokerFails(&$0, .busy(broker: "b")) },
    CheckCase("broker", "error", "access list", without: "user and password") {
      brokerFails(&$0, .topicRefused(broker: "b", topic: "t", reason: "denied"))
    },
    CheckCase("broker", "skipped", "uses the broker") { facts in
      facts.network.destinations[1].steps = [:]
      facts.network.destinations[1].untested = "the running logger uses the broker"
    },
    CheckCase("queue-age", "warning", "900 records, nothing accepted for 48 h") { facts in
      facts.report.destinations[0].queued = 900
      facts.report.destinations[0].lastSuccessAge = 48 * 3600
    },
  ]
}
