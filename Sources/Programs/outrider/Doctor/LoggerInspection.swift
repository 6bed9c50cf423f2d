import Daemon
import Database
import Doctor
import LocalAPI
import Quantities
import Settings
import Store

/// Collects the facts that the running logger and its log provide.
enum LoggerInspection {
  static func facts(_ files: ConfigurationFiles, _ settings: Configuration?) -> LoggerFacts {
    var facts = LoggerFacts()
    facts.ownVersion = Release.version
    guard let socket = settings?.api.socket ?? (try? LoggerSocket(files))?.path else { return facts }
    facts.socket = socket
    do {
      switch try LoggerAnswer.ask(socket, storage: settings?.storage.directory) {
      case .report(let report): facts.answer = .report(LoggerReport(report))
      case .nobody: facts.answer = .nobody
      case .forbidden: facts.answer = .forbidden(LoggerAnswer.denial(socket))
      case .noAnswer, .noSocket: facts.answer = .silent
      case .fault(let fault): facts.answer = .unusable("\(fault.clause); \(fault.remedy)")
      }
    } catch {
      facts.answer = .notAsked("\(error)")
    }
    if let directory = settings?.storage.directory { facts.events = events(directory) }
    return facts
  }

  /// The fault of the log that reading it showed; hidden if this user may not read it.
  static func logFault(_ facts: LoggerFacts, _ settings: Configuration?) -> Fact<String?> {
    guard let directory = settings?.storage.directory else { return .hidden("not checked: see config-valid") }
    if facts.events.value != nil { return .known(nil) }
    do throws(DatabaseError) {
      _ = try LogReader(directory: directory).newestEvents(among: 1, limit: 1)
      return .known(nil)
    } catch {
      switch facts.events {
      case .known: return .known(nil)
      case .absent: return .absent
      case .hidden(let reason): return error.kind == .damaged ? .known("\(error)") : .hidden(reason)
      }
    }
  }

  private static func events(_ directory: String) -> Fact<[LoggedEvent]> {
    if let advice = AccessAdvice(readingLogIn: directory) { return .hidden("\(advice)") }
    return LoggedEvent.newest(inLogOf: directory)
  }
}
