import Quantities

extension Epoch {
  /// The kind of fix that ``settle(_:day:isRepetition:)`` assigns to a usable position if it changes no other
  /// counted value; else nil. It avoids the copy of a fix, which is large.
  @inline(__always)
  var settledKind: FixKind? {
    isBinary && fix.horizontalAccuracy ?? .infinity < .infinity && fix.horizontalDilution != .infinity
      ? reportedKind ?? FixKind.none : nil
  }

  /// Completes a copy of ``fix`` for output. `day` (since 1970-01-01) is that of its time unless a binary
  /// message dated it; `isRepetition` withdraws the position.
  ///
  /// It changes nothing in the epoch, which is passed in place because it is large.
  @inline(__always)
  mutating func settle(_ fix: inout Fix, day: Int?, isRepetition: Bool) {
    fix.millisecondOfDay = time?.millisecond
    if !isBinary, let day, let time {
      fix.timestamp = Timestamp(
        milliseconds: Int64(day) * Timestamp.millisecondsPerDay + Int64(time.millisecond))
    }
    let dilution = fix.horizontalDilution
    fix.horizontalDilution = Accuracy.finite(dilution)
    guard hasUsablePosition, !isRepetition else {
      fix.withdrawPosition()
      return
    }
    if isBinary {
      fix.kind = reportedKind ?? .none
    } else {
      // With altitude hold, the altitude belongs to an earlier epoch.
      if dimension == 2 { (fix.altitude, fix.ellipsoidHeight, fix.climb) = (nil, nil, nil) }
      switch reportedKind {
      case nil, .some(.none), .twoDimensional, .threeDimensional:
        fix.kind = fix.hasHeight ? .threeDimensional : .twoDimensional
      case .some(let kind): fix.kind = kind
      }
    }
    settleAccuracy(of: &fix, isDilutionUnknown: dilution == .infinity)
  }

  /// Sets the accuracy from the receiver's own estimate, else the error ellipse, else the dilution of
  /// precision. A receiver that calls its own figure unknown has a vague position, whatever the dilution.
  @inline(__always)
  private mutating func settleAccuracy(of fix: inout Fix, isDilutionUnknown: Bool) {
    let hasNoEstimate = fix.horizontalAccuracy == .infinity
    if hasNoEstimate { fix.horizontalAccuracy = nil }
    guard !isBinary || fix.horizontalAccuracy == nil else { return }
    let isKnown =
      fix.horizontalAccuracy != nil || Self.bound(&fix, by: ellipse) || Self.bound(&fix, by: expected)
    if !isKnown, hasNoEstimate || isDilutionUnknown {
      fix.isVague = true
    } else if !isKnown, let dilution = fix.horizontalDilution {
      let range = Accuracy.rangeError(of: fix.kind)
      fix.horizontalAccuracy = dilution * range
      fix.verticalAccuracy = (fix.verticalDilution ?? dilution * Accuracy.usualVerticalRatio) * range
      fix.accuracySource = .dilution
    }
    if !fix.hasHeight { fix.verticalAccuracy = nil }
  }

  /// Applies the errors; false if there are none.
  private static func bound(_ fix: inout Fix, by errors: ErrorEllipse?) -> Bool {
    guard let errors, let horizontal = Accuracy.finite(Accuracy.horizontal(errors.horizontal)) else {
      return false
    }
    fix.horizontalAccuracy = horizontal
    fix.verticalAccuracy = errors.altitude.flatMap(Accuracy.metres)
    fix.accuracySource = .errorEllipse
    return true
  }
}

extension Fix {
  fileprivate var hasHeight: Bool { altitude != nil || ellipsoidHeight != nil }

  /// Removes everything but the time, the satellites and the dilutions of precision.
  fileprivate mutating func withdrawPosition() {
    (latitude, longitude, altitude, ellipsoidHeight) = (nil, nil, nil, nil)
    (speed, course, climb) = (nil, nil, nil)
    (horizontalAccuracy, verticalAccuracy, accuracySource) = (nil, nil, .none)
    (speedAccuracy, courseAccuracy, isVague) = (nil, nil, false)
    kind = .none
  }
}
