import Quantities

/// What a body or a vehicle can be doing; the states that exclude each other.
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

/// One number for each activity, in the order of ``Activity``; the lanes behind them are not used.
typealias ActivityValues = SIMD8<Float>

extension ActivityValues {
  subscript(activity: Activity) -> Float {
    get { self[activity.rawValue] }
    set { self[activity.rawValue] = newValue }
  }
}
