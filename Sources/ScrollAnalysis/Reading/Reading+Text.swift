extension Reading {
  /// A measure's value as people read it: `1:02.500`, `29.3 %`, `3833`; `-` for a measure that the session lacks.
  public func text(of measure: Measure) -> String {
    switch self[measure] {
    case nil: "-"
    case .word(let word)?: word
    case .integer(let value)?: measure.text(Double(value))
    case .number(let value)?: measure.text(value)
    }
  }
}

extension Reading.Measure {
  /// A value of this measure as people read it, such as a mean.
  public func text(_ value: Double) -> String {
    switch unit {
    case .microseconds: NumberText.seconds(Int64(min(max(value, -9e15), 9e15).rounded()))
    case .share: "\(NumberText.rounded(value * 100, places: 1)) %"
    case .points: NumberText.rounded(value, places: 0)
    case .pointsPerMillisecond: NumberText.fixed(value, places: 2)
    case .pointsPerSquareMillisecond: NumberText.fixed(value, places: 3)
    case .count: NumberText.rounded(value, places: 1)
    case .word: "\(value)"
    }
  }
}
