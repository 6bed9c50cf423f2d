import Formats
import Records
import Settings

// The record form of a destination, from the settings that affect it.

extension RecordForm {
  /// The form of a destination in the Overland format; nil for other formats, whose bytes need not be repeatable.
  package init?(_ destination: DestinationSettings, under configuration: Configuration) {
    guard destination.form == .overland else { return nil }
    let row = destination.overlandProfile
    self.init(profile: row.name, wholeSpeed: row.hasWholeSpeed, uniqueID: configuration.sendsUniqueID)
    device_id = destination.deviceID
    if destination.hasHistoricStats { historic_stats = true }
    if destination.hasReconstructedTrips { reconstructed_trips = true }
    guard row.historic != nil else { return }
    deferred_m = configuration.main.deferredMetres.map { Int($0.rounded()) } ?? 0
    significant_change = OverlandProfile.SignificantChange(configuration.main.trackingMode).rawValue
  }

  /// True for a profile that sends all that the log has.
  package var isComplete: Bool { OverlandProfile.named(profile)?.isComplete ?? false }

  /// The profile that writes this form; `identity` is the unique ID of this installation.
  package func profile(uniqueID identity: String?) -> OverlandProfile {
    var row = OverlandProfile.named(profile) ?? .overland
    row.hasWholeSpeed = whole_speed
    row.uniqueID = unique_id ? identity : nil
    row.deviceID = device_id
    if historic_stats == true { row.addHistoricStats() }
    row.hasReconstructedTrips = reconstructed_trips == true
    guard row.historic != nil else { return row }
    row.historic?.deferredMetres = deferred_m ?? 0
    let significantChange = significant_change.flatMap(OverlandProfile.SignificantChange.init(rawValue:))
    row.historic?.significantChange = significantChange ?? .disabled
    return row
  }
}
