import Quantities

extension Epoch {
  /// The fix of a closed epoch. `date` is the day of its time where the solution itself does not carry one;
  /// `isRepetition` withdraws the position.
  func fix(date: CalendarDate?, isRepetition: Bool) -> Fix {
    var fix = Fix()
    fix.millisecondOfDay = time?.millisecond
    if let solution {
      fix.timestamp = solution.timestamp
    } else if let date, let time {
      fix.timestamp = Timestamp(date, millisecondOfDay: Int64(time.millisecond))
    }
    fix.horizontalDilution = horizontalDilution.value
    fix.verticalDilution = verticalDilution
    fix.positionDilution = solution?.positionDilution ?? positionDilution
    fix.satellitesUsed = solution?.satellites ?? satellites.value
    guard hasUsablePosition, !isRepetition else { return fix }
    if let solution { place(solution, in: &fix) } else { placeSentences(in: &fix) }
    let accuracy = Accuracy(of: self, kind: fix.kind)
    fix.horizontalAccuracy = accuracy.horizontal
    fix.accuracySource = accuracy.source
    fix.verticalAccuracy = fix.altitude == nil ? nil : accuracy.vertical
    return fix
  }

  private func place(_ solution: Solution, in fix: inout Fix) {
    fix.kind = solution.kind
    fix.latitude = solution.position?.latitude
    fix.longitude = solution.position?.longitude
    fix.altitude = solution.altitude
    fix.ellipsoidHeight = solution.ellipsoidHeight
    fix.speed = solution.speed
    fix.course = solution.course
    fix.climb = solution.climb
    fix.speedAccuracy = solution.speedAccuracy
    fix.courseAccuracy = solution.courseAccuracy
  }

  private func placeSentences(in fix: inout Fix) {
    fix.latitude = position.value?.latitude
    fix.longitude = position.value?.longitude
    // With the altitude held it is the one of an earlier epoch.
    if dimension != 2, let altitude = altitude.value {
      fix.altitude = altitude.aboveSeaLevel
      fix.ellipsoidHeight = altitude.separation.map { altitude.aboveSeaLevel + $0 }
    }
    fix.speed = velocity.value?.speed
    fix.course = velocity.value?.course
    let plain = fix.altitude == nil ? FixKind.twoDimensional : .threeDimensional
    switch kind.value {
    case nil, .some(.none), .twoDimensional, .threeDimensional: fix.kind = plain
    case .differential: fix.kind = .differential
    case .realTimeKinematicFloat: fix.kind = .realTimeKinematicFloat
    case .realTimeKinematicFixed: fix.kind = .realTimeKinematicFixed
    case .deadReckoning: fix.kind = .deadReckoning
    }
  }
}
