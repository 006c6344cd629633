import ScrollModel

/// Random sessions, each determined by its seed.
public enum RandomSession {
  /// Makes a session of several dozen events such as users, programs and layouts cause.
  public static func realistic(seed: UInt64) -> [Event] {
    var random = SeededRandom(seed: seed)
    let deeds = random.whole(1...8)
    var view = SimulatedScrollView(random)
    for _ in 0..<deeds { view.doSomething() }
    return view.events
  }

  /// Makes a senseless session: any kinds of events with any of their fields and any valid numbers.
  ///
  /// - Parameter isAbsurd: Whether the largest and smallest finite numbers occur.
  public static func senseless(seed: UInt64, isAbsurd: Bool) -> [Event] {
    var random = SeededRandom(seed: seed)
    let usual = [0, 1, -1, 2, 0.5, 10, -10, 100, 150, 300, 390, 800, 844, 1000, 2000, -50, 5000]
    let largest = Double.greatestFiniteMagnitude
    let smallest = Double.leastNonzeroMagnitude
    let absurd = [1e308, -1e308, largest, -largest, smallest, -smallest, 1e16, -1e16, 1e-300]
    return (0..<random.whole(1...40)).map { index in
      let kind = Event.Kind.allCases[random.whole(0...7)]
      var event = Event(kind, time: Int64(1000 * index))
      for field in Event.Field.allCases where kind.allowedFields.contains(Event.FieldSet(field)) {
        guard kind.requiredFields.contains(Event.FieldSet(field)) || random.happens(0.4) else { continue }
        let pool = isAbsurd && random.happens(0.4) ? absurd : usual
        let number = random.happens(0.7) ? pool[random.whole(0...pool.count - 1)] : random.quarters(-1500...1500)
        switch field.valueType {
        case .flag: event[flag: field] = random.happens(0.5)
        case .source: event.source = Event.Source.allCases[random.whole(0...2)]
        case .number(.size): event[number: field] = number.magnitude
        case .number(.spacing): event[number: field] = max(number.magnitude, .leastNonzeroMagnitude)
        case .number(.scale):
          event[number: field] = number == 0 ? 1 : random.happens(0.8) ? random.quarters(0.5...3) : number.magnitude
        case .number(.length): event[number: field] = number
        }
      }
      return event
    }
  }

  /// Makes a session of any sort: five of eight are realistic, two senseless, and one absurd.
  public static func mixed(seed: UInt64) -> [Event] {
    switch seed % 8 {
    case 0...4: realistic(seed: seed)
    case 5, 6: senseless(seed: seed, isAbsurd: false)
    default: senseless(seed: seed, isAbsurd: true)
    }
  }

  /// Makes a policy of the default rule with random parameters.
  public static func policy(seed: UInt64) -> Policy {
    var random = SeededRandom(seed: seed &+ 0x5EED)
    var rule = SafariRule()
    rule.hideDistance = random.quarters(0.25...40)
    rule.showDistance = random.quarters(0.25...40)
    rule.edgeTolerance = random.quarters(0...6)
    rule.zoomTolerance = random.happens(0.5) ? 0 : random.quarters(0...0.25)
    rule.zoomInDistance = random.quarters(0...1)
    rule.minimumRange = random.quarters(0...300)
    rule.hideOffset = random.happens(0.5) ? 0 : random.quarters(0...120)
    rule.revealAtBottom = SafariRule.RevealAtBottom.allCases[random.whole(0...2)]
    rule.topButtonDistance = random.quarters(0...900)
    rule.topButtonHysteresis = random.quarters(0...200)
    rule.pageHysteresis = random.quarters(0...0.5)
    return Policy(name: "random", rule: .safari(rule))
  }
}
