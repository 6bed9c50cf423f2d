import Settings
import Testing

@Suite struct ShownTests {
  @Test(arguments: [
    ("home", "home"), ("my home", "'my home'"), ("-x", "-- -x"), ("$(id)", "'$(id)'"), ("a'b", #"'a'\''b'"#),
    ("", "''"), ("höhe/7.a:b@c", "höhe/7.a:b@c"), ("a;b", "'a;b'"), ("--a b", "-- '--a b'"),
  ])
  func anArgumentIsShownAsItIsTyped(word: String, shown: String) {
    #expect(Shown.argument(word) == shown)
  }
}
