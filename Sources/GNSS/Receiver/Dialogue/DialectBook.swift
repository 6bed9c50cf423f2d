/// The languages a dialogue can speak.
struct DialectBook: Sendable {
  /// Queries that make a receiver say who it is, in an order that harms nobody.
  var queries: [ReceiverCommand]
  /// The one a family answers; nil for one that answers none.
  var query: @Sendable (ReceiverFamily) -> ReceiverCommand?
  /// Nil for a receiver that is only read.
  var dialect: @Sendable (ReceiverIdentity) -> (any Dialect)?
}
