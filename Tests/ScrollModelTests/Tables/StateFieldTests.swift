import ScrollModel
import ScrollTesting
import Testing

@Suite("The table of state fields")
struct StateFieldTests {
  @Test("Names and watched bits are unique, and each watched field is one bit")
  func names() {
    #expect(Set(FoldState.Field.allCases.map { "\($0.name)" }).count == FoldState.Field.allCases.count)
    let bits = FoldState.Field.watched.map(\.declaration.watched.rawValue)
    #expect(bits == (0..<bits.count).map { 1 << UInt8($0) })
  }

  @Test("A field holds what the table declares, and is absent only where the table allows it")
  func values() {
    for seed in 0..<UInt64(50) {
      for state in History(.safari, RandomSession.mixed(seed: seed)).states {
        for field in FoldState.Field.allCases {
          guard let value = state[field] else {
            #expect(field.declaration.isOptional, "\(field.name)")
            continue
          }
          let isDeclared =
            switch (value, field.declaration.valueType) {
            case (.integer, .integer), (.number, .number), (.flag, .flag), (.toolbar, .toolbar), (.trigger, .trigger):
              true
            default: false
            }
          #expect(isDeclared, "\(field.name) is \(value)")
        }
      }
    }
  }

  @Test("Every stored property of the state is a field, or geometry or memory that is only remembered")
  func storedProperties() {
    let names = [
      "geometry.x": "x", "geometry.y": "y", "pager.index": "pageIndex", "pager.count": "pageCount",
      "pager.indicatorOffset": "indicatorOffset", "pager.indicatorWidth": "indicatorWidth",
    ]
    let properties = StoredProperties.texts(of: FoldState()).keys.filter { path in
      names[path] != nil || !(path.hasPrefix("geometry.") || path.hasPrefix("memory."))
    }
    #expect(Set(properties.map { names[$0] ?? $0 }) == Set(FoldState.Field.allCases.map { "\($0.name)" }))
  }
}
