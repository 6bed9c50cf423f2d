import Settings
import Testing
import Tracking

@testable import Daemon

/// The policies on the reference page are those of the configuration.
@Suite struct PlanReferenceAgreementTests {
  @Test func everyRowIsThePolicyOfItsSettings() throws {
    var seen = 0
    for row in ReceiverScheme.reference {
      for accuracy in row.accuracies {
        let main =
          "tracking_mode: '\(row.trackingMode.rawValue)', pause_automatically: \(row.pausesAutomatically), "
          + "desired_accuracy: '\(accuracy.rawValue)'"
        let scheme = try ConfiguredDrive.settings("{ main: { \(main) } }").scheme
        #expect(scheme == row.scheme, "\(main)")
        seen += 1
      }
    }
    #expect(seen == 48)
  }
}
