import HTTPServer
import WebAccess

extension APIResponse {
  static func of(_ outcome: ControlOutcome) -> HTTPResponse {
    switch outcome {
    case .done(let json): .json(json)
    case .refused(let problem): of(problem)
    }
  }
}
