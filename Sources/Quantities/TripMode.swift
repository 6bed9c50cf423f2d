/// How a trip is made, in the words of the Overland protocol's `mode`; the raw values are stored and sent.
public enum TripMode: String, Sendable, CaseIterable {
  case walk, run, bicycle, car, taxi, bus, tram, train, metro, gondola, monorail, sleigh, plane, boat, scooter
}
