import Formats
import Records
import Settings

// How a destination's records are written, out of the settings that have a say in it.

extension RecordForm {
  /// Nil where a record's bytes are promised to nobody: another form than Overland's.
  init?(_ destination: DestinationSettings, under configuration: Configuration) {
    guard destination.form == .overland else { return nil }
    let row = destination.overlandProfile
    self.init(profile: row.name, wholeSpeed: row.hasWholeSpeed, uniqueID: configuration.sendsUniqueID)
    device_id = destination.deviceID
    if destination.hasHistoricStats { historic_stats = true }
    if destination.hasReconstructedTrips { reconstructed_trips = true }
    guard row.historic != nil else { return }
    deferred_m = configuration.main.deferredMetres.map { Int($0.rounded()) } ?? 0
    let mode = TrackingStatistics.Mode(configuration.main.trackingMode)
    significant_change = OverlandProfile.SignificantChange(mode).rawValue
  }

  /// The row of data that writes so; `uniqueID` is that of this installation.
  func profile(uniqueID identity: String?) -> OverlandProfile {
    var row = OverlandProfile.named(profile) ?? .overland
    row.hasWholeSpeed = whole_speed
    row.uniqueID = unique_id ? identity : nil
    row.deviceID = device_id
    if historic_stats == true { row.addHistoricStats() }
    row.hasReconstructedTrips = reconstructed_trips == true
    guard row.historic != nil else { return row }
    row.historic?.deferredMetres = deferred_m ?? 0
    let word = significant_change.flatMap(OverlandProfile.SignificantChange.init(rawValue:))
    row.historic?.significantChange = word ?? .disabled
    return row
  }
}
