import LocalAPI

/// The page of the metrics, from their declarations.
enum MetricsPage {
  static var markdown: String {
    var page = """
      # Metrics

      `GET /metrics` of the [local API](local-api.md#get-metrics) returns the figures of the running logger in the text format
      of Prometheus, or in OpenMetrics 1.0 if the client requests it. `outrider metrics` prints the same. They are rendered on
      request only: without a scrape they cost nothing.

      | question | section |
      | --- | --- |
      | How does Prometheus reach the device? | [scrape](#scrape) |
      | What if nothing can reach it? | [a device that nothing can reach](#a-device-that-nothing-can-reach) |
      | When should somebody be told? | [alerts](#alerts) |
      | Which metrics are there? | [the metrics](#the-metrics) |

      ## Scrape

      Set `api.listen` and `api.token`, and give Prometheus the token in a file:

      ```yaml
      scrape_configs:
        - job_name: outrider
          authorization:
            credentials_file: /etc/prometheus/outrider.token
          static_configs:
            - targets: ["192.168.1.20:8017"]
      ```

      With `api.guest: "status"` the token is not necessary. Guests do not get the speed. No metric has a position or the name
      of a network. A scrape keeps a host awake no longer, and cannot wake it.

      ## A device that nothing can reach

      The textfile collector of node_exporter takes the file that a timer writes:

      ```sh
      cd /var/lib/prometheus/node-exporter
      outrider metrics > outrider.tmp && mv outrider.tmp outrider.prom
      ```

      ## Alerts

      No fix for an hour while tracking, a queue that is older than a day, and a medium that is worn or slow:

      ```yaml
      groups:
        - name: outrider
          rules:
            - alert: OutriderNoFix
              expr: >
                (outrider_fix_age_seconds > 3600 or (time() - outrider_start_time_seconds > 3600 unless on (instance)
                outrider_fix_age_seconds)) and on (instance) outrider_receiver_state{state=~"acquiring|tracking|cyclic"} == 1
              for: 5m
              annotations:
                summary: "{{ $labels.instance }} has had no fix for an hour"
            - alert: OutriderQueueOld
              expr: time() - outrider_destination_oldest_queued_timestamp_seconds > 86400
              for: 30m
              annotations:
                summary: "{{ $labels.instance }} has not delivered to {{ $labels.destination }} for a day"
            - alert: OutriderStorageWorn
              expr: outrider_storage_used_ratio > 0.8 or max_over_time(outrider_log_flush_seconds[1h]) > 5
              annotations:
                summary: "the storage medium of {{ $labels.instance }} is worn or slow"
      ```

      ## The metrics

      - An unknown value is absent, never 0.
      - A counter begins at 0 with the process, unless its row says "also of earlier runs". After a crash such a counter may be
        some minutes behind, and after a change of the supply voltage the energy starts at 0.
      - The queue lengths and the log's size are those of the last inspection, which every scrape requests for the next one.
      - `outrider_log_flush_seconds` is meant for one monitoring system: each scrape begins a new period.
      - In OpenMetrics counters have `_created`, the start of the logger, unless they continue over restarts.


      """
    for group in Metric.Group.allCases {
      page += "### \(group.rawValue)\n\n| metric | labels | meaning |\n| --- | --- | --- |\n"
      for metric in Metric.allCases where metric.group == group {
        let labels = metric.labels.map { "`\($0.name)`" }.joined(separator: ", ")
        page += "| `\(metric.rawValue)` | \(labels) | \(metric.help) |\n"
      }
      page += "\n"
    }
    page += "### Values of labels\n\n| metric | label | values |\n| --- | --- | --- |\n"
    for metric in Metric.allCases {
      for label in metric.labels {
        page += "| `\(metric.rawValue)` | `\(label.name)` | \(values(of: label)) |\n"
      }
    }
    return page
  }

  private static func values(of label: MetricLabel) -> String {
    switch label {
    case .destination: "the name of a destination"
    case .version: "the version of the program"
    case .board: "the name of a built-in board; `file` for another one; empty without one"
    case .family, .module, .firmware: "as the receiver identifies itself"
    case .eventKind: "the [kinds of events](events.md)"
    case .receiverState, .receiverShare, .reason, .motionState, .recordKind, .cause, .code, .bound, .level,
      .consumer:
      (label.values ?? []).map { "`\($0)`" }.joined(separator: ", ")
    }
  }
}
