/// The means of transport of a trip, in the words of the Overland protocol's `mode`. The raw values are stored and
/// sent.
public enum TripMode: String, Sendable, CaseIterable {
  case walk, run, bicycle, car, taxi, bus, tram, train, metro, gondola, monorail, sleigh, plane, boat, scooter
}
