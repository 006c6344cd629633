/// A recursive-descent parser of interface descriptions.
struct InterfaceParser {
  private typealias Token = InterfaceTokenizer.Token

  /// The maximum nesting depth of types.
  private static let maximumDepth = 64
  private static let tooDeep = "types are nested more than \(maximumDepth) levels deep"

  private let text: String
  private var tokenizer: InterfaceTokenizer
  /// The next token, if it was read ahead.
  private var peeked: Token?
  /// The names of types that the description uses and must declare.
  private var usedTypes: [Token] = []

  init(_ text: String) {
    self.text = text
    tokenizer = InterfaceTokenizer(text)
  }

  mutating func interface() throws(InterfaceSyntaxError) -> InterfaceDescription {
    try expect("interface")
    let name = try take("an interface name", InterfaceName.isInterface).text
    var methods: [InterfaceDescription.Method] = []
    var errors: [InterfaceDescription.ErrorDeclaration] = []
    var types: [InterfaceDescription.TypeDeclaration] = []
    var declared: Set<String> = []
    while true {
      let keyword = try take()
      if keyword.text.isEmpty { break }
      guard ["method", "error", "type"].contains(keyword.text) else {
        throw tokenizer.error(at: keyword, "\"\(keyword.text)\" where a method, a type or an error was expected")
      }
      let member = try take("a name that begins with a capital letter", InterfaceName.isMember)
      guard declared.insert(member.text).inserted else {
        throw tokenizer.error(at: member, "\"\(member.text)\" is declared twice")
      }
      switch keyword.text {
      case "method":
        let parameters = try structure(depth: 0)
        try expect("->")
        methods.append(.init(name: member.text, parameters: parameters, replyParameters: try structure(depth: 0)))
      case "error":
        // An error without parameters needs no parentheses.
        let parameters = try peek().text == "(" ? structure(depth: 0) : []
        errors.append(.init(name: member.text, parameters: parameters))
      default:
        types.append(.init(name: member.text, type: try structureOrEnumeration(depth: 0)))
      }
    }
    for used in usedTypes where !types.contains(where: { $0.name == used.text }) {
      throw tokenizer.error(at: used, "the type \"\(used.text)\" is not declared")
    }
    return InterfaceDescription(name: name, text: text, methods: methods, errors: errors, types: types)
  }

  // MARK: Types

  private mutating func structure(depth: Int) throws(InterfaceSyntaxError) -> [InterfaceField] {
    let begin = try peek()
    guard case .structure(let fields) = try structureOrEnumeration(depth: depth) else {
      throw tokenizer.error(at: begin, "an enumeration where fields with types were expected")
    }
    return fields
  }

  /// Parses parentheses with either fields of a structure or cases of an enumeration.
  private mutating func structureOrEnumeration(depth: Int) throws(InterfaceSyntaxError) -> InterfaceType {
    let begin = try expect("(")
    guard depth < Self.maximumDepth else { throw tokenizer.error(at: begin, Self.tooDeep) }
    if try skip(")") { return .structure([]) }

    var names: Set<String> = []
    var fields: [InterfaceField] = []
    var cases: [String] = []
    repeat {
      let name = try take("a field name", InterfaceName.isField)
      guard names.insert(name.text).inserted else {
        throw tokenizer.error(at: name, "\"\(name.text)\" is declared twice")
      }
      let hasType = try peek().text == ":"
      guard hasType ? cases.isEmpty : fields.isEmpty else {
        throw tokenizer.error(at: name, "fields with types and cases without types are mixed")
      }
      if hasType {
        try expect(":")
        fields.append(InterfaceField(name: name.text, type: try type(depth: depth + 1)))
      } else {
        cases.append(name.text)
      }
    } while try skip(",")
    try expect(")")
    return fields.isEmpty ? .enumeration(cases) : .structure(fields)
  }

  private mutating func type(depth: Int) throws(InterfaceSyntaxError) -> InterfaceType {
    let token = try peek()
    guard depth < Self.maximumDepth else { throw tokenizer.error(at: token, Self.tooDeep) }
    switch token.text {
    case "?":
      try expect("?")
      let next = try peek()
      guard next.text != "?" else { throw tokenizer.error(at: next, "an optional of an optional") }
      return .optional(try type(depth: depth + 1))
    case "[":
      try expect("[")
      if try skip("]") { return .array(try type(depth: depth + 1)) }
      try expect("string")
      try expect("]")
      return .map(try type(depth: depth + 1))
    case "(":
      return try structureOrEnumeration(depth: depth)
    default:
      return try typeName()
    }
  }

  private mutating func typeName() throws(InterfaceSyntaxError) -> InterfaceType {
    let token = try take()
    switch token.text {
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    case "any": return .any
    default:
      guard InterfaceName.isMember(token.text) else {
        throw tokenizer.error(at: token, "\(Self.quoted(token)) where a type was expected")
      }
      usedTypes.append(token)
      return .named(token.text)
    }
  }

  // MARK: Tokens

  private mutating func peek() throws(InterfaceSyntaxError) -> Token {
    if let peeked { return peeked }
    let token = try tokenizer.next()
    peeked = token
    return token
  }

  private mutating func take() throws(InterfaceSyntaxError) -> Token {
    let token = try peek()
    peeked = nil
    return token
  }

  private mutating func take(
    _ expected: String, _ isValid: (String) -> Bool
  ) throws(InterfaceSyntaxError) -> Token {
    let token = try take()
    guard isValid(token.text) else {
      throw tokenizer.error(at: token, "\(Self.quoted(token)) where \(expected) was expected")
    }
    return token
  }

  @discardableResult
  private mutating func expect(_ text: String) throws(InterfaceSyntaxError) -> Token {
    try take("\"\(text)\"") { $0 == text }
  }

  private mutating func skip(_ text: String) throws(InterfaceSyntaxError) -> Bool {
    guard try peek().text == text else { return false }
    peeked = nil
    return true
  }

  private static func quoted(_ token: Token) -> String {
    token.text.isEmpty ? "the end of the text" : "\"\(token.text)\""
  }
}
