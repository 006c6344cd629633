import Testing

@testable import ScrollAnalysis

@Suite("SHA-256")
struct SHA256Tests {
  @Test(
    "The digest is the standard's, whatever the length",
    arguments: [
      ("abc", 1, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
      ("a", 0, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
      ("a", 3, "mDSHbc+wXLFnpcJJU+uljErImxrfV/KPL50JrxB+6PA="),
      ("a", 55, "n0OQ+NMMLdkuyfCVtl4rmumwqSWlJY4kHJ8ekQ9zQxg="),
      ("a", 56, "s1Q5pKxvCUi21vnjxq8PX1kM4g8b3nCQ73lwaG7Gc4o="),
      ("a", 64, "/+BU/nrgy23GXDr5th1SCfQ5hR20PQulmXM33xVGaOs="),
      ("a", 119, "MeulHDE6XAgiat8Y1KNZz9/Y0ugWsT9K+VL36mWE3Ps="),
      ("a", 120, "Lz0zVDLHC1gK8Ojhs2dKfAINaDql9zqq7f3FWvkEwhw="),
      ("a", 1000, "Qe3s5C1j6Nm/UVqbppMuHCDLyfWl0TRkWttdsblzfqM="),
    ])
  func digest(text: String, count: Int, expected: String) {
    let bytes = Array(String(repeating: text, count: count).utf8)
    #expect(SHA256.base64(SHA256.digest(bytes)) == expected)
  }

  @Test("Base64 pads what is no multiple of three bytes")
  func base64() {
    #expect(
      ["", "f", "fo", "foo", "foob"].map { SHA256.base64(Array($0.utf8)) } == ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="])
  }
}

@Suite("Text in reports")
struct ReportTextTests {
  @Test("No text can end a script, an attribute or an element")
  func escapes() {
    var data = ScriptData()
    data.string("</script><!-- & \"\\\u{2028}\u{202E}\u{7}")
    #expect(data.text == #""\u003c/script\u003e\u003c!-- \u0026 \"\\"# + "\u{FFFD}\u{FFFD}\u{FFFD}\"")
    #expect(ReportPage.html("<b a=\"'\">&\u{0}") == "&lt;b a=&quot;'&quot;&gt;&amp;\u{FFFD}")
  }

  @Test("Dates are in UTC, in leap years, too")
  func dates() {
    #expect(ReportPage.date(0) == "1970-01-01 00:00:00 UTC")
    #expect(ReportPage.date(951_826_155_000_000) == "2000-02-29 12:09:15 UTC")
    #expect(ReportPage.date(1_795_997_858_888_700) == "2026-11-30 00:17:38 UTC")
    #expect(ReportPage.date(4_107_542_399_999_999) == "2100-02-28 23:59:59 UTC")
  }
}
