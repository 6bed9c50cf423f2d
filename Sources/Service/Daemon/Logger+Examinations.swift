import Doctor
import LocalAPI
import Quantities
import Scheduling
import WebAccess

// The requests that examine destinations and the system.
extension Logger {
  public func testDestination(_ name: String) -> ControlOutcome {
    let configuration = context.configuration
    guard let destination = configuration.destinations.first(where: { $0.name == name }) else {
      return Self.unknownDestination(among: configuration.destinations.map(\.name))
    }
    guard power.stage != .survival else {
      return .refused(Problem(409, "the battery is critical, so nothing is tested; charge it"))
    }
    guard
      let number = delivery.probes.begin(
        destination, deviceID: configuration.deviceID, radio: delivery.radio)
    else {
      return .refused(Problem(409, "a test of this destination is in progress; wait for its result"))
    }
    return .done(#"{"test": \#(number)}"#)
  }

  public var tests: ControlOutcome {
    guard let json = TestsReport(results: delivery.probes.results).json else {
      return .refused(Problem(500, "the results cannot be encoded as JSON"))
    }
    return .done(String(decoding: json, as: UTF8.self))
  }

  public func examineSystem(_ done: @escaping (String) -> Void) -> Problem? {
    serving.examiner.begin(
      context, file: settingsController.state.sources?.file, report: LoggerReport(status), done)
  }
}
