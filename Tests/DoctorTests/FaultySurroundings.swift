import Doctor

/// Faults of network and destinations.
enum FaultySurroundings {
  static let cases: [CheckCase] = [
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
    CheckCase("broker", "error", "not authorised") { facts in
      facts.network.destinations[1].steps["token"] = .bad("not authorised")
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
