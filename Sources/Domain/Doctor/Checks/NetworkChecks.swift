import Settings

/// The checks of the network and the destinations.
enum NetworkChecks {
  /// Certificates are renewed at least this many days before they expire.
  static let warningDays: Int64 = 14
  /// A queue that is older than this deserves attention.
  static let queueLimitSeconds: Double = 86_400

  static let all: [Check] = [
    Check(
      "route", .network, "The host has a default route.",
      advice: "Connect to a network. Without one, records wait in the queue."
    ) { facts in
      switch facts.network.defaultRoutes {
      case .known(let interfaces) where !interfaces.isEmpty:
        return .ok("through \(interfaces.joined(separator: ", "))")
      case .hidden(let reason): return .skipped(reason)
      case .known, .absent:
        let network = facts.configuration.settings?.network
        if network?.up != nil || network?.radio != nil || network?.line != nil {
          return .skipped("none; the logger switches the network on when it sends")
        }
        return .warning(
          "no default route",
          means: "Only servers in the local network can be reached; records wait in the queue.",
          fix: "ip route", "nmcli device status")
      }
    },
    Check(
      "captive", .network, "No portal intercepts the connections.",
      advice: "Sign in to the network with a browser."
    ) { facts in
      if let reason = facts.network.untested { return .skipped(reason) }
      if facts.network.connectivity == "portal" {
        return .error(
          "NetworkManager found a portal", means: "The network answers instead of the servers.",
          fix: "open http://neverssl.com in a browser on this network", "nmcli networking connectivity check")
      }
      for destination in facts.network.destinations where !destination.isEncrypted {
        if case .bad(let text)? = destination.steps["answer"], text.contains("redirects") {
          return .warning(
            "\(destination.name): \(text)", means: "A portal, or a server that moved to https.",
            fix: "curl -sI http://\(destination.host ?? "")/", "use https in the url of \(destination.name)")
        }
      }
      return .ok(facts.network.connectivity.map { "connectivity: \($0)" } ?? "no sign of a portal")
    },
    Check(
      "proxy", .network, "The configured proxies answer.", advice: "Correct `proxy` of the destination."
    ) { facts in
      step(facts, where: { $0.proxy != nil }, none: "no proxy is configured", reaching: ["connection"]) {
        destination in
        guard case .bad(let text)? = destination.steps["connection"] else { return nil }
        return .error(
          "\(destination.name): \(text)", means: "Nothing is sent to \(destination.name).",
          fix: "sudoedit \(facts.configuration.path)   and correct proxy of \(destination.name)")
      }
    },
    Check(
      "name-resolves", .network, "The hosts of all destinations resolve and answer.",
      advice: "Check the address, the network and its DNS server."
    ) { facts in reach(facts) },
    Check(
      "tls", .network, "Every certificate is trusted and valid for at least 14 more days.",
      advice: "Renew the server's certificate. An unset clock makes certificates look invalid."
    ) { facts in encryption(facts) },
    Check(
      "token", .network, "The servers accept the tokens.",
      advice: "Correct the token. `outrider send --test NAME` repeats the test."
    ) { facts in
      step(
        facts, where: { !$0.isBroker && $0.host != nil }, none: "no HTTP destination",
        reaching: ["token", "answer"]
      ) { destination in
        for name in ["token", "answer"] {
          if case .bad(let text)? = destination.steps[name] {
            return .error(
              "\(destination.name): \(text)",
              means: "Records wait in the queue until the server accepts them.",
              fix: "sudoedit \(facts.configuration.path)   and correct \(name == "token" ? "token" : "url") "
                + "of \(destination.name)",
              "outrider send --test \(destination.name)")
          }
        }
        return nil
      }
    },
    Check(
      "broker", .network, "The MQTT brokers accept the login and the records.",
      advice: "Correct user and password, or permit the topic in the broker's access list."
    ) { facts in
      // Name, connection and encryption are those of name-resolves and tls.
      step(facts, where: \.isBroker, none: "no MQTT broker is configured", reaching: ["token", "answer"]) {
        destination in
        for name in ["token", "answer"] {
          guard case .bad(let text)? = destination.steps[name] else { continue }
          return .error(
            "\(destination.name): \(text)",
            means: "Records wait in the queue until the broker accepts them.",
            fix: name == "token"
              ? "sudoedit \(facts.configuration.path)   and correct user and password of \(destination.name)"
              : "read the log of the broker \(destination.host ?? "") and its access list",
            "outrider send --test \(destination.name)")
        }
        return nil
      }
    },
    Check(
      "queue-age", .network, "Every destination accepted records within a day.",
      advice: "Read the reason, then test the destination with `outrider send --test NAME`."
    ) { facts in queueAge(facts) },
    Check(
      "token-length", .network, "A browser on another host can sign in with the token of the API.",
      advice: "Remove `api.token`, and create one with `outrider page --token`."
    ) { facts in tokenLength(facts) },
  ]

  private static func tokenLength(_ facts: SystemFacts) -> Finding {
    guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
    guard settings.api.isEnabled, let address = settings.api.listen else {
      return .ok("the API listens on no address")
    }
    guard !APISettings.isLoopback(address) else { return .ok("the API serves only this host") }
    guard let token = settings.api.token else { return .skipped("api.token is not set") }
    guard token.revealed.utf8.count < APISettings.shortestPageToken else {
      return .ok("at least \(APISettings.shortestPageToken) characters")
    }
    return .warning(
      "api.token has fewer than \(APISettings.shortestPageToken) characters",
      means: "The page's sign-in rejects it, because it can be guessed.",
      fix: "sudoedit \(facts.configuration.path)   and remove api.token", "sudo outrider page --token")
  }

  /// Judges the tested destinations. Without a fault it is ok for those whose test reached one of the steps.
  private static func step(
    _ facts: SystemFacts, where applies: (NetworkFacts.Destination) -> Bool, none: String,
    reaching steps: [String], _ evaluate: (NetworkFacts.Destination) -> Finding?
  ) -> Finding {
    if let reason = facts.network.untested { return .skipped(reason) }
    guard facts.configuration.settings != nil else { return ConfigurationChecks.unread(facts) }
    let all = facts.network.destinations.filter(applies)
    guard !all.isEmpty else { return .skipped(none) }
    let tested = all.filter { $0.untested == nil && !$0.steps.isEmpty }
    guard !tested.isEmpty else { return .skipped(all.compactMap(\.untested).first ?? "not tested") }
    // An error counts more than a warning of an earlier destination.
    let findings = tested.compactMap(evaluate)
    if let worst = findings.first(where: { $0.word == "error" }) ?? findings.first { return worst }
    let reached: [String] = tested.compactMap { destination in
      let step = steps.compactMap { destination.steps[$0] }.first
      return step.map { "\(destination.name): \($0.text)" }
    }
    guard reached.isEmpty else { return .ok(reached.joined(separator: ", ")) }
    let isEncryptionBad = tested.contains {
      if case .bad? = $0.steps["encryption"] { true } else { false }
    }
    return .skipped("not reached: see \(isEncryptionBad ? "tls" : "name-resolves")")
  }

  private static func reach(_ facts: SystemFacts) -> Finding {
    step(
      facts, where: { $0.host != nil }, none: "no destination has a server",
      reaching: ["connection", "answer"]
    ) { destination in
      let host = destination.host ?? ""
      let hasRoute = facts.network.defaultRoutes.value?.isEmpty == false
      for name in ["name", "connection"] {
        guard case .bad(let text)? = destination.steps[name] else { continue }
        if destination.proxy != nil, name == "connection" { return .skipped("not checked: see proxy") }
        if !hasRoute { return .skipped("\(host) does not respond: see route") }
        return .error(
          "\(destination.name): \(text)", means: "Records wait in the queue until \(host) answers.",
          fix: name == "name" ? "resolvectl query \(host)" : "nc -zv \(host) \(destination.effectivePort)",
          "sudoedit \(facts.configuration.path)   and correct the url of \(destination.name)")
      }
      return nil
    }
  }

  private static func encryption(_ facts: SystemFacts) -> Finding {
    step(
      facts, where: { $0.isEncrypted }, none: "no destination uses TLS", reaching: ["encryption", "answer"]
    ) { destination in
      let host = destination.host ?? ""
      if case .bad(let text)? = destination.steps["encryption"] {
        if facts.clock.now < ClockChecks.earliestDate {
          return .error(
            "\(destination.name): \(text)",
            means: "The clock is not set: an unset clock makes certificates look invalid.",
            fix: "outrider doctor --only system-clock,synchronised",
            "sudo systemctl restart systemd-timesyncd")
        }
        return .error(
          "\(destination.name): \(text)", means: "Nothing is sent to \(destination.name).",
          fix: "openssl s_client -connect \(host):\(destination.effectivePort) -servername \(host)",
          "sudoedit \(facts.configuration.path)   and set ca_file of \(destination.name), for an own authority"
        )
      }
      guard let seconds = destination.certificateSeconds else { return nil }
      let days = seconds / 86_400
      guard days < warningDays else { return nil }
      return .warning(
        "\(destination.name): the certificate expires in \(days) day\(days == 1 ? "" : "s")",
        means: "After that nothing is sent to \(destination.name).",
        fix: "sudo certbot renew   on the server \(host)")
    }
  }

  private static func queueAge(_ facts: SystemFacts) -> Finding {
    guard let report = facts.logger.report else { return facts.logger.withoutReport }
    guard !report.destinations.isEmpty else { return .skipped("no destinations") }
    for destination in report.destinations {
      let age = destination.lastSuccessAge ?? report.uptime ?? 0
      let queued = destination.queued ?? (destination.trouble == nil ? 0 : 1)
      guard queued > 0, age > queueLimitSeconds else { continue }
      let reason = destination.trouble.map { ": \($0)" } ?? ""
      return .warning(
        "\(destination.name): \(queued) records, nothing accepted for \(Int(min(age, 1e9)) / 3600) h\(reason)",
        means: "The oldest records are deleted when storage.limit is reached.",
        fix: "outrider send --test \(destination.name)", "outrider why")
    }
    return .ok(
      report.destinations.map { "\($0.name): \(Self.state(of: $0))" }
        .joined(separator: ", "))
  }

  private static func state(of destination: DestinationReport) -> String {
    if let queued = destination.queued { return "\(queued) queued" }
    return destination.lastSuccessAge.map { "accepted records \(Int(min($0, 1e9))) s ago" }
      ?? "nothing accepted yet"
  }
}
