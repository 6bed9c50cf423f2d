import Quantities

/// The mutually exclusive activities of a person or vehicle.
public enum Activity: Int, CaseIterable, Sendable {
  case walking, running, cycling, driving, stationary

  var state: MotionStates {
    switch self {
    case .walking: .walking
    case .running: .running
    case .cycling: .cycling
    case .driving: .driving
    case .stationary: .stationary
    }
  }
}

/// The values of all activities, in the order of ``Activity``; the remaining SIMD lanes are unused.
typealias ActivityValues = SIMD8<Float>

extension ActivityValues {
  subscript(activity: Activity) -> Float {
    get { self[activity.rawValue] }
    set { self[activity.rawValue] = newValue }
  }
}
