import Motion
import Records
import Settings

extension EventRecord {
  /// The event of harsh driving.
  init(_ event: DrivingEvent) {
    var fields: EventFields = [
      .peakAcceleration: .thousandths(Double(event.peak)),
      .durationMilliseconds: .integer(event.duration.wholeMilliseconds),
    ]
    switch event.kind {
    case .acceleration: self.init(.harshAcceleration, fields)
    case .braking: self.init(.harshBraking, fields)
    case .corneringLeft:
      fields[.side] = "left"
      self.init(.harshCornering, fields)
    case .corneringRight:
      fields[.side] = "right"
      self.init(.harshCornering, fields)
    }
  }
}
