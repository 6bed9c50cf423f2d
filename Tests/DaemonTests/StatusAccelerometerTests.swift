import Chips
import Devices
import LocalAPI
import Quantities
import Simulation
import Testing
@testable import Daemon

/// The accelerometer in the status, with rounded values.
@Suite struct StatusAccelerometerTests {
  private func accelerometer(
    _ mode: DesiredAccelerometerMode, forSeconds seconds: Int
  ) throws -> StatusReport.Accelerometer {
    let part = try #require(AccelerometerPart.named("lis3dh"))
    let address = try #require(part.addresses.first)
    let bus = VirtualBus()
    bus.attach(VirtualLIS3DH(track: AccelerationTrack(.walking, seed: 3)), at: address)
    var reader = AccelerometerReader(part: part, address: address, hasLine: false, now: bus.now)
    reader.setDesiredMode(mode, now: bus.now)
    let end = bus.now + .seconds(seconds)
    while let next = reader.nextTimeout, next <= end {
      bus.now = max(bus.now, next)
      _ = reader.step(on: { () throws(I2CError) in bus }, now: bus.now)
    }
    return StatusReport.Accelerometer(
      reader, at: PartLocation(name: part.name, path: "/dev/i2c-1", address: address))
  }

  @Test func rateRangeAndResolutionAreRounded() throws {
    let shown = try accelerometer(
      .samples(SamplingRequest(rate: 25, range: 4), within: .seconds(2)), forSeconds: 30)
    #expect(shown.does == "sampling")
    #expect(shown.rate_hz.map { abs($0 - 25) < 0.5 } == true)
    #expect(shown.range_g == 4)
    #expect(shown.resolution_g == 0.008)
    #expect(shown.overruns == 0)
  }

  @Test func wakeOnMotionHasNoSampleRate() throws {
    let shown = try accelerometer(.motion(MotionWatch()), forSeconds: 10)
    #expect(shown.does == "watching")
    #expect(shown.rate_hz == nil)
    #expect(shown.resolution_g == nil)
  }
}
