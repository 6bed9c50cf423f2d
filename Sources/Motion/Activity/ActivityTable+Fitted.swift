extension ActivityTable {
  /// Made by `scripts/fit-motion`; do not edit.
  ///
  /// Fitted on 9.5 hours of labelled recordings from seven sources (three sets of phone recordings of the ML4QS course,
  /// phones in cars, SisFall, the Daily and Sports Activities of UCI, WISDM): walks, stairs, runs, rides, exercise
  /// bikes, cars, a bus, trains, sitting, standing and a table; 35 people. It holds nothing of them but these numbers.
  ///
  /// Each row: the feature, its mean and spread, then the linear and the square weights for walking, running, cycling,
  /// driving and stationary.
  public static let fitted = ActivityTable(
    bias: [-0.823, -0.201, 0.527, 0.263, 0.233],
    [
      Row(
        .deviation5, -2.5658, 2.0014, [0.266, 0.354, 0.045, -0.273, -0.393],
        [-0.183, 0.392, -0.224, -0.337, 0.352]),
      Row(
        .deviation20, -2.5102, 1.9534, [0.326, 0.414, 0.178, -0.363, -0.555],
        [-0.310, 0.492, -0.268, -0.385, 0.470]),
      Row(
        .length1, -4.3642, 1.8369, [0.100, 0.066, -0.296, 0.336, -0.205],
        [-0.333, -0.124, 0.745, -0.293, 0.006]),
      Row(
        .length2, -4.0974, 1.9373, [0.790, -0.013, -0.753, 0.351, -0.374],
        [0.725, -0.245, -0.169, -0.454, 0.144]),
      Row(
        .length3, -3.7530, 2.2102, [0.211, 0.248, 0.056, -0.262, -0.254],
        [0.105, 0.340, -0.530, -0.056, 0.142]),
      Row(
        .length4, -3.7677, 2.2152, [-0.091, 0.477, 0.385, -0.582, -0.188],
        [-0.487, 0.609, -0.189, -0.042, 0.109]),
      Row(
        .vector0, -3.8834, 1.4206, [0.281, 0.292, -0.670, 0.144, -0.047],
        [-0.071, 0.113, -0.260, 0.138, 0.080]),
      Row(
        .vector1, -3.4395, 1.8861, [0.272, -0.052, 0.886, -0.914, -0.192],
        [-0.451, -0.128, 0.553, 0.154, -0.127]),
      Row(
        .vector3, -3.3127, 2.1245, [0.318, 0.353, 0.035, -0.634, -0.072],
        [-0.205, 0.533, -0.514, 0.159, 0.027]),
      Row(
        .vector4, -3.3157, 2.1469, [0.211, 0.491, 0.191, -0.919, 0.026],
        [-0.409, 0.680, -0.508, 0.341, -0.105]),
      Row(
        .frequency, 1.3773, 0.8222, [-0.248, 0.081, 0.029, 0.135, 0.003],
        [-0.202, -0.059, 0.200, 0.043, 0.019]),
      Row(
        .wander, 0.2578, 0.2150, [-0.575, -0.286, 0.079, 0.478, 0.303],
        [0.143, 0.077, -0.180, -0.140, 0.100]),
      Row(
        .vertical, -1.0458, 0.9047, [-0.264, 0.330, -0.153, 0.561, -0.475],
        [-0.358, 0.085, 0.171, 0.216, -0.113]),
    ])
}
