/// A value on the heap, copied when a second owner changes it.
///
/// A debug build copies a value within the frame of a function, field by field. A test that holds several trackers would
/// need megabytes of stack.
@propertyWrapper public struct Boxed<Value> {
  private final class Box {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  public init(wrappedValue: Value) { box = Box(wrappedValue) }

  public var wrappedValue: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}

extension Boxed: @unchecked Sendable where Value: Sendable {}
