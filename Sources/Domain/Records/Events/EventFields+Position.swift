import Quantities

// The position of the device at an event. An event is shown without it if the position is in a privacy zone.
extension EventFields {
  /// Latitude, longitude and horizontal accuracy in metres as fields.
  public init(position: Coordinate, accuracy: Double?) {
    self.init([.latitude: .decimal(position.latitude), .longitude: .decimal(position.longitude)])
    self[.accuracy] = accuracy.flatMap { EventValue.whole(max($0, 1)) }
  }

  /// The position; nil if the event has none. `accuracy` is in metres.
  public var position: (coordinate: Coordinate, accuracy: Double?)? {
    guard let latitude = decimal(.latitude), let longitude = decimal(.longitude),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    return (coordinate, decimal(.accuracy))
  }

  /// The number of a field. A decimal without a fraction is an integer in JSON.
  private func decimal(_ field: EventField) -> Double? {
    switch self[field] {
    case .decimal(let number)?: number
    case .integer(let number)?: Double(number)
    case .flag?, .text?, .list?, .counts?, .texts?, nil: nil
    }
  }
}

extension EventRecord {
  /// The event without the position of the device.
  public var withoutPosition: EventRecord {
    var event = self
    for field in [EventField.latitude, .longitude, .accuracy] { event.fields[field] = nil }
    return event
  }
}
