import Quantities
import Records

/// An event in the words of Traccar, for its OsmAnd port.
///
/// The items are `id`, `timestamp` (s since 1970), `event` (the kind of the event), and what the kind has of `alarm`,
/// `ignition`, `charge` and `zone`. There is no position: Traccar then uses the last one that it knows. The alarms are
/// those of Traccar's `Position` (traccar.org/api-reference).
public enum TraccarEvent {
  /// The items of an event beside the common ones; nil for an event without a counterpart.
  private static func items(of kind: EventKind) -> StaticString? {
    switch kind {
    case .overspeedStarted: "&alarm=overspeed"
    case .harshAcceleration: "&alarm=hardAcceleration"
    case .harshBraking: "&alarm=hardBraking"
    case .harshCornering: "&alarm=hardCornering"
    case .idlingStarted: "&alarm=idle"
    case .towed: "&alarm=tow"
    case .parkingMoved: "&alarm=movement"
    case .zoneEntered: "&alarm=geofenceEnter"
    case .zoneLeft: "&alarm=geofenceExit"
    case .chargerRemoved: "&alarm=powerCut&charge=false"
    case .chargerAttached: "&alarm=powerRestored&charge=true"
    case .supplyUnder, .brownOut: "&alarm=lowPower"
    case .batteryLow: "&alarm=lowBattery"
    case .ignitionOn: "&ignition=true"
    case .ignitionOff: "&ignition=false"
    default: nil
    }
  }

  /// Returns the percent-encoded items, separated by `&`; nil for another record, for an event without a counterpart in
  /// Traccar, and for one without a time. `deviceID` is the identifier of the device in Traccar.
  public static func text(_ record: LogRecord, deviceID: String) -> [UInt8]? {
    guard case .event(let event) = record.body, let time = record.time, let items = items(of: event.kind)
    else { return nil }
    var text: [UInt8] = []
    if !deviceID.isEmpty {
      text.append("id=")
      text.append(contentsOf: QueryText.percentEncoded(deviceID).utf8)
      text.append("&")
    }
    text.append("timestamp=")
    text.appendDecimal(time.wholeSeconds, decimals: 0)
    text.append("&event=")
    text.append(contentsOf: QueryText.percentEncoded(event.kind.rawValue).utf8)
    text.append(items)
    if let zone = event.fields.text(.zone) {
      text.append("&zone=")
      text.append(contentsOf: QueryText.percentEncoded(zone).utf8)
    }
    return text
  }
}
