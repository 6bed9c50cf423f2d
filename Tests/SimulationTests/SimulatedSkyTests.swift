import GNSSProtocol
import Quantities
import Simulation
import Testing

@Suite struct SimulatedSkyTests {
  private static let start = Timestamp(milliseconds: 1_774_087_200_000)

  /// The satellites that a decoder reads from a module with moving satellites, a minute after its start at a time.
  private static func satellites(at time: Timestamp, hasReception: Bool = true) -> [Satellite] {
    var options = ModuleOptions()
    options.utc = time
    options.satellitesMove = true
    options.firstStart = .hot
    var module = ReceiverModule(.ublox9, options: options)
    if !hasReception { module.setReception(false, now: .zero) }
    let bytes = module.transmit(until: .zero + .seconds(60), to: 38_400)
    var decoder = ReceiverDecoder()
    decoder.reportsSatellites = true
    var satellites: [Satellite] = []
    bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes, at: .zero) {
        if case .satelliteReport(let report) = $0, !report.satellites.isEmpty {
          satellites = report.satellites
        }
      }
    }
    #expect(decoder.statistics.checksumErrors == 0)
    return satellites
  }

  @Test func aReceiverReportsUsedAndUnusedSatellitesOfTwoSystems() {
    let satellites = Self.satellites(at: Self.start)
    #expect(satellites.count == 18 && satellites.count { $0.isUsed } == 11, "\(satellites.count)")
    #expect(Set(satellites.map(\.id.system)).count == 2)
    for satellite in satellites {
      #expect((0...90).contains(satellite.elevation ?? -1) && (0..<360).contains(satellite.azimuth ?? -1))
      #expect((10...50).contains(satellite.signal ?? 0))
    }
  }

  @Test func theSatellitesMoveInTheCourseOfAnHour() {
    let before = Self.satellites(at: Self.start)
    let later = Self.satellites(at: Self.start + .seconds(3600))
    #expect(!before.isEmpty && before.map(\.id) == later.map(\.id))
    #expect(zip(before, later).allSatisfy { $0.azimuth != $1.azimuth })
  }

  @Test func withoutReceptionNoSatelliteHasASignal() {
    #expect(Self.satellites(at: Self.start, hasReception: false).allSatisfy { ($0.signal ?? 0) == 0 })
  }
}
