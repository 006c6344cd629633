import ScrollModel
import ScrollTesting

/// Any valid events with any finite numbers, folded under any policy and checked against all promises about sessions.
enum FoldFuzzing: Fuzzing {
  static func check(_ input: UnsafeRawBufferPointer) throws {
    var source = ByteSource(input)
    let policy = policy(&source)
    let cut = Int(source.byte())
    var events: [Event] = []
    while !source.isEmpty, events.count < 64 {
      let event = event(&source)
      try event.validate()
      events.append(event)
    }
    let history = History(policy, events)
    let broken = history.brokenPromises(cut: cut % (events.count + 1))
    hold(broken.isEmpty, "\(broken) under \(policy) of \(events)")
    for step in history.steps { hold(step.reason.map { "\($0)".isEmpty } != true, "a reason has words") }
  }

  private static func policy(_ source: inout ByteSource) -> Policy {
    switch source.byte() % 4 {
    case 0: return .safari
    case 1: return .safariArrival
    case 2: return .classic
    default: return RandomSession.policy(seed: source.number())
    }
  }

  private static func event(_ source: inout ByteSource) -> Event {
    let kind = Event.Kind.allCases[Int(source.byte()) % Event.Kind.allCases.count]
    var event = Event(kind, time: source.number(Int64.self) & (Event.latestTime - 1))
    let present = Event.FieldSet(rawValue: source.number())
    var fields = kind.requiredFields.union(kind.allowedFields.intersection(present))
    while let field = fields.popFirst() {
      switch field.valueType {
      case .flag: event[flag: field] = source.byte() & 1 == 1
      case .source: event.source = Event.Source.allCases[Int(source.byte()) % Event.Source.allCases.count]
      case .number(.size): event[number: field] = number(&source).magnitude
      case .number(.scale), .number(.spacing):
        event[number: field] = max(.leastNonzeroMagnitude, number(&source).magnitude)
      case .number(.length): event[number: field] = number(&source)
      }
    }
    return event
  }

  /// Half of the numbers are multiples of a quarter, as on screens; the others are any finite ones.
  private static func number(_ source: inout ByteSource) -> Double {
    if source.byte() & 1 == 0 { return Double(source.number(Int16.self)) / 4 }
    let number = Double(bitPattern: source.number())
    return number.isFinite ? number : 0
  }
}
