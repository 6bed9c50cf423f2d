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
    bias: [-0.840, -0.268, 0.605, 0.317, 0.186],
    [
      Row(
        .deviation5, -2.5758, 2.0043, [0.213, 0.370, 0.057, -0.258, -0.382],
        [-0.233, 0.448, -0.206, -0.339, 0.330]),
      Row(
        .deviation20, -2.5212, 1.9563, [0.259, 0.430, 0.195, -0.332, -0.553],
        [-0.356, 0.550, -0.253, -0.417, 0.476]),
      Row(
        .length1, -4.1576, 1.8941, [0.210, 0.095, -0.369, 0.299, -0.235],
        [-0.452, -0.131, 0.858, -0.302, 0.026]),
      Row(
        .length2, -4.0124, 1.9362, [0.702, 0.065, -0.713, 0.325, -0.379],
        [0.616, -0.174, -0.171, -0.454, 0.183]),
      Row(
        .length3, -3.7525, 2.1831, [0.238, 0.233, 0.080, -0.297, -0.254],
        [0.060, 0.413, -0.541, -0.061, 0.129]),
      Row(
        .length4, -3.7846, 2.1565, [-0.040, 0.394, 0.420, -0.592, -0.182],
        [-0.403, 0.556, -0.201, -0.039, 0.087]),
      Row(
        .vector0, -3.6380, 1.4845, [0.317, 0.360, -0.748, 0.152, -0.080],
        [-0.112, 0.165, -0.275, 0.154, 0.068]),
      Row(
        .vector1, -3.3497, 1.8817, [0.252, -0.053, 0.892, -0.875, -0.215],
        [-0.421, -0.223, 0.568, 0.178, -0.103]),
      Row(
        .vector3, -3.2920, 2.0856, [0.341, 0.325, 0.075, -0.652, -0.088],
        [-0.209, 0.567, -0.530, 0.159, 0.012]),
      Row(
        .vector4, -3.3113, 2.0762, [0.256, 0.431, 0.237, -0.930, 0.005],
        [-0.328, 0.648, -0.556, 0.340, -0.105]),
      Row(
        .frequency, 1.3680, 0.8223, [-0.294, 0.103, 0.048, 0.137, 0.006],
        [-0.175, -0.026, 0.166, 0.028, 0.009]),
      Row(
        .wander, 0.2574, 0.2131, [-0.542, -0.346, 0.072, 0.518, 0.298],
        [0.137, 0.099, -0.196, -0.149, 0.109]),
      Row(
        .vertical, -1.0383, 0.9030, [-0.368, 0.408, -0.117, 0.548, -0.472],
        [-0.437, 0.175, 0.142, 0.223, -0.104]),
    ])
}
