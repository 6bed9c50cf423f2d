import GNSSProtocol
import Quantities
import Simulation
import Testing

@Suite struct SimulatedSkyTests {
  private static let start = Timestamp(milliseconds: 1_774_087_200_000)

  /// The satellites that a decoder reads from an epoch with its sky.
  private static func satellites(at time: Timestamp) -> [Satellite] {
    var receiver = VirtualReceiver(route: .berlin, seed: 1)
    var decoder = ReceiverDecoder()
    decoder.reportsSatellites = true
    var satellites: [Satellite] = []
    let bytes = receiver.epoch(at: time) + SimulatedSky().sentences(at: time)
    bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes, at: .zero) {
        if case .satelliteReport(let report) = $0 { satellites = report.satellites }
      }
    }
    decoder.finish { if case .satelliteReport(let report) = $0 { satellites = report.satellites } }
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
    #expect(before.map(\.id) == later.map(\.id))
    #expect(zip(before, later).allSatisfy { $0.azimuth != $1.azimuth })
  }

  @Test func anEpochWithItsSkyFitsIntoASecondAt9600Baud() {
    var receiver = VirtualReceiver(route: .berlin, seed: 1)
    for second in 0..<100 {
      let time = Self.start + .seconds(second * 617)
      #expect(receiver.epoch(at: time).count + SimulatedSky().sentences(at: time).count < 950)
    }
  }
}
