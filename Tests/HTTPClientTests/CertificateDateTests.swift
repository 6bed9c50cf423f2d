import Quantities
import Testing

@testable import HTTPClient

@Suite struct CertificateDateTests {
  @Test(arguments: ["Nov  6 08:49:37 2027 GMT", "Nov 06 08:49:37 2027 GMT", "2027-11-06 08:49:37 GMT"])
  func aDateOfACertificateIsRead(text: String) {
    #expect(CertificateDate.timestamp(text) == Timestamp(iso8601: "2027-11-06T08:49:37Z"))
  }

  @Test(arguments: [
    "", "GMT", "Nov 6 08:49:37 2027", "Nvo 6 08:49:37 2027 GMT", "Nov 31 08:49:37 2027 GMT",
    "Nov 6 24:49:37 2027 GMT",
    "Nov 6 08:49 2027 GMT", "2027-13-06 08:49:37 GMT", "Nov 6 08:49:37 99999999999999999999 GMT",
    "- - - - GMT",
  ])
  func anyOtherTextIsNoDate(text: String) {
    #expect(CertificateDate.timestamp(text) == nil)
  }
}
