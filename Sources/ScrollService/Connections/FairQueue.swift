/// Items of several users, which take turns: between two items of one user, each other user with items has had one.
///
/// The items of one user keep their order. A user whose first item arrives waits for one item of each user who is already there.
struct FairQueue<Item> {
  /// The user who has all items, as long as only one has any.
  private var onlyUser: UInt32?
  private var onlyItems = Fifo<Item>()
  private var itemsByUser: [UInt32: Fifo<Item>] = [:]
  /// The users who have items, the next one first.
  private var users = Fifo<UInt32>()
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ item: Item, of user: UInt32) {
    if count == 0 { onlyUser = user }
    count += 1
    if let onlyUser {
      if user == onlyUser { return onlyItems.append(item) }
      itemsByUser[onlyUser] = onlyItems
      users.append(onlyUser)
      onlyItems = Fifo()
      self.onlyUser = nil
    }
    if itemsByUser[user]?.append(item) == nil {
      itemsByUser[user] = Fifo([item])
      users.append(user)
    }
  }

  /// Removes and returns the first item of the user whose turn it is.
  mutating func popFirst() -> Item? {
    if count == 0 { return nil }
    if onlyUser != nil {
      count -= 1
      return onlyItems.popFirst()
    }
    guard let user = users.popFirst(), let item = itemsByUser[user]?.popFirst() else { return nil }
    count -= 1
    if itemsByUser[user]?.isEmpty == true { itemsByUser[user] = nil } else { users.append(user) }
    return item
  }
}

/// A queue whose first item is removed in constant time.
struct Fifo<Item> {
  private var slots: [Item?]
  private var start = 0

  init(_ items: [Item] = []) { slots = items }

  var isEmpty: Bool { start == slots.count }
  var count: Int { slots.count - start }
  var first: Item? { isEmpty ? nil : slots[start] }
  /// All items, the first one first.
  var items: some Sequence<Item> { slots[start...].lazy.compactMap { $0 } }

  mutating func append(_ item: Item) { slots.append(item) }

  mutating func popFirst() -> Item? {
    guard !isEmpty else { return nil }
    defer {
      slots[start] = nil
      start += 1
      if start == slots.count {
        slots.removeAll(keepingCapacity: start < 1024)
        start = 0
      } else if start >= 64 && start * 2 >= slots.count {
        slots.removeFirst(start)
        start = 0
      }
    }
    return slots[start]
  }
}
