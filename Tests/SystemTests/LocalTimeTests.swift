import Quantities
import System
import Testing

/// Local days of the time zone of this host; `TZ=Europe/Berlin` has days of 23 and 25 hours.
@Suite struct LocalTimeTests {
  @Test(arguments: [20_454, 20_541, 20_751]) func aDayBeginsWhereTheDayBeforeEnds(around day: Int) {
    for number in day - 3...day + 3 {
      let midnight = LocalTime.midnight(of: number)
      #expect(LocalTime.day(of: midnight) == number)
      #expect(LocalTime.day(of: midnight + .milliseconds(-1)) == number - 1)
    }
  }
}
