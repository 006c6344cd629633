import Testing

@testable import Platform

@Suite("Suggestions for misspelled names")
struct SuggestionTests {
  @Test("The distance of names counts swapped neighbors once")
  func distance() {
    #expect(Suggestion.distance("flod", "fold") == 1)
    #expect(Suggestion.distance("", "abc") == 3)
    #expect(Suggestion.distance("watch", "watch") == 0)
    #expect(Suggestion.distance("wacth", "watch") == 1)
    #expect(Suggestion.distance("list", "log") == 3)
  }
}
