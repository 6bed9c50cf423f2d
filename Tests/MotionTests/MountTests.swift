import Foundation
import Quantities
import Testing

@testable import Motion

@Suite struct MountTests {
  /// A drive in a fixed mount: increasing and decreasing speed, curves to both sides.
  func drive(
    _ seconds: Int, turned: (SIMD3<Double>) -> SIMD3<Double>, into calibration: inout MountCalibration
  ) {
    for _ in 0..<20 {
      calibration.take(
        SIMD3<Float>(turned(SIMD3(0, 0, 1.02))), isStationary: true, isDriving: false, speed: nil)
    }
    var speed = 10.0
    for second in 0..<seconds {
      let push = 1.6 * sin(Double(second) / 5)
      let curve = 1.2 * sin(Double(second) / 7.7 + 1)
      speed += push
      calibration.take(
        SIMD3<Float>(turned(SIMD3(push / 9.81, curve / 9.81, 1.02))), isStationary: false, isDriving: true,
        speed: SpeedReading(speed: Float(speed), at: .zero + .seconds(second)))
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func forwardIsDeterminedFromBrakingAndAccelerating(seed: UInt64)
    throws
  {
    var random = SplitMix64(seed: seed)
    let turned = turn(
      about: SIMD3.random(in: -1...1, using: &random), by: Double.random(in: 0...6, using: &random))
    var calibration = MountCalibration()
    #expect(calibration.mount == .uncalibrated)
    drive(120, turned: turned, into: &calibration)
    guard case .calibrated(_, let forward) = calibration.mount else {
      Issue.record("seed \(seed): \(calibration.mount)")
      return
    }
    #expect((SIMD3<Double>(forward) * turned(SIMD3(1, 0, 0))).sum() > 0.985, "seed \(seed)")
    let braking = try #require(calibration.mount.resolve(SIMD3<Float>(turned(SIMD3(-0.3, 0.1, 1)))))
    #expect(abs(braking.forward + 0.3) < 0.06 && abs(braking.left - 0.1) < 0.06)
  }

  @Test func aDeviceThatTurnsInAPocketStaysUncalibrated() {
    var random = SplitMix64(seed: 9)
    var calibration = MountCalibration()
    drive(5, turned: { $0 }, into: &calibration)
    for second in 0..<300 {
      let push = 1.6 * sin(Double(second) / 5)
      let any = SIMD3<Double>.random(in: -0.25...0.25, using: &random)
      calibration.take(
        SIMD3<Float>(SIMD3(0, 0, 1) + any), isStationary: false, isDriving: true,
        speed: SpeedReading(speed: Float(10 + push), at: .zero + .seconds(second)))
    }
    guard case .level = calibration.mount else {
      Issue.record("\(calibration.mount)")
      return
    }
  }

  @Test func aTurnedDeviceLosesItsForwardDirection() {
    var calibration = MountCalibration()
    drive(120, turned: { $0 }, into: &calibration)
    for _ in 0..<5 { calibration.take(SIMD3(1, 0, 0), isStationary: true, isDriving: false, speed: nil) }
    guard case .level(let up) = calibration.mount else {
      Issue.record("\(calibration.mount)")
      return
    }
    #expect(up.x > 0.99)
  }
}
