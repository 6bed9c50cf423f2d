import Scheduling
import Settings
import Testing
import Daemon

/// The policies on the reference page are those of the configuration.
@Suite struct PolicyReferenceAgreementTests {
  @Test func everyRowIsThePolicyOfItsSettings() throws {
    var seen = 0
    for row in TrackingPolicy.reference {
      for accuracy in row.accuracies {
        let main =
          "tracking_mode: '\(row.trackingMode.rawValue)', pause_automatically: \(row.pausesAutomatically), "
          + "desired_accuracy: '\(accuracy.rawValue)'"
        let policy = try ConfiguredDrive.settings("{ main: { \(main) } }").policy
        #expect(policy == row.policy, "\(main)")
        seen += 1
      }
    }
    #expect(seen == 48)
  }
}
