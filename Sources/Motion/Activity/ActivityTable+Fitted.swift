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
    bias: [-0.913, -0.295, 0.686, 0.326, 0.195],
    [
      Row(
        .deviation5, -2.5758, 2.0043, [0.213, 0.355, 0.049, -0.249, -0.368],
        [-0.220, 0.425, -0.175, -0.334, 0.303]),
      Row(
        .deviation20, -2.5212, 1.9563, [0.259, 0.416, 0.196, -0.326, -0.544],
        [-0.342, 0.528, -0.226, -0.420, 0.459]),
      Row(
        .length1, -4.0304, 1.9253, [0.238, 0.102, -0.368, 0.280, -0.252],
        [-0.495, -0.114, 0.882, -0.313, 0.041]),
      Row(
        .length2, -3.9137, 1.9532, [0.746, 0.067, -0.729, 0.302, -0.386],
        [0.635, -0.159, -0.222, -0.453, 0.199]),
      Row(
        .length3, -3.6958, 2.1750, [0.246, 0.254, 0.074, -0.321, -0.253],
        [0.034, 0.423, -0.528, -0.058, 0.129]),
      Row(
        .length4, -3.7286, 2.1462, [-0.036, 0.406, 0.418, -0.608, -0.180],
        [-0.415, 0.575, -0.207, -0.036, 0.082]),
      Row(
        .vector0, -3.4974, 1.5447, [0.344, 0.355, -0.775, 0.170, -0.093],
        [-0.126, 0.207, -0.300, 0.157, 0.061]),
      Row(
        .vector1, -3.2716, 1.8876, [0.207, -0.017, 0.895, -0.866, -0.218],
        [-0.465, -0.221, 0.594, 0.174, -0.083]),
      Row(
        .vector3, -3.2297, 2.0682, [0.325, 0.334, 0.102, -0.666, -0.095],
        [-0.226, 0.554, -0.514, 0.164, 0.023]),
      Row(
        .vector4, -3.2508, 2.0560, [0.235, 0.440, 0.263, -0.932, -0.006],
        [-0.329, 0.648, -0.562, 0.329, -0.085]),
      Row(
        .frequency, 1.3680, 0.8223, [-0.310, 0.111, 0.062, 0.134, 0.003],
        [-0.173, -0.018, 0.156, 0.027, 0.009]),
      Row(
        .wander, 0.2574, 0.2131, [-0.544, -0.342, 0.035, 0.546, 0.304],
        [0.137, 0.102, -0.188, -0.160, 0.108]),
      Row(
        .vertical, -1.0383, 0.9030, [-0.398, 0.406, -0.086, 0.549, -0.471],
        [-0.454, 0.178, 0.138, 0.239, -0.102])
    ])
}
