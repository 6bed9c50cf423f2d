// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "outrider",
  targets: [
    // Values: no I/O, no clock.
    .target(name: "Quantities"),
    .target(name: "Records", dependencies: ["Quantities"]),

    // Tests, one folder a target.
    .testTarget(name: "QuantitiesTests", dependencies: ["Quantities"]),
  ],
  swiftLanguageModes: [.v6]
)
