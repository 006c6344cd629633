import ScrollTesting
import Testing

@testable import scrollctl

@Suite("Files generated from the table of verbs")
struct DocumentationTests {
  @Test("scrollctl(1) has every verb, option and example of the table")
  func manual() throws {
    try MadeFile("man/scrollctl.1").expect(ManualPage.lines, asPart: "Verbs")
  }

  @Test("The completions match the table")
  func completions() throws {
    try MadeFile("completions/scrollctl.bash").expect(BashCompletion.text)
    try MadeFile("completions/_scrollctl").expect(ZshCompletion.text)
    try MadeFile("completions/scrollctl.fish").expect(FishCompletion.text)
  }

  @Test("A placeholder determines what a shell offers")
  func placeholders() {
    let subject = Completion(placeholder: "FILE|GLOB|CLIENT|SESSION")
    #expect(subject.files && subject.clients && subject.words.isEmpty)
    #expect(Completion(placeholder: "top|bottom|page N|X,Y").words == ["top", "bottom", "page"])
    #expect(Completion(placeholder: "FILE…|-").files && Completion(placeholder: "FILE…|-").words.isEmpty)
    #expect(Completion(placeholder: "csv|json-lines").words == ["csv", "json-lines"])
    #expect(Completion(placeholder: "POSITION").isNothing)
    #expect(Completion(.policy).policies)
  }

  @Test("Special characters of the formatter are escaped in the manual page")
  func manualText() {
    #expect(ManualText.paragraph("with --set a=b.") == ["with \\fB\\-\\-set\\fR a=b."])
    #expect(ManualText.paragraph(".so it") == ["\\&.so it"])
    #expect(
      ManualText.synopsis("log [SESSION|CLIENT]") == "\\fBlog [\\fR\\fISESSION\\fR\\fB|\\fR\\fICLIENT\\fR\\fB]\\fR")
    #expect(ManualText.escaped("a\\b") == "a\\eb")
  }
}
