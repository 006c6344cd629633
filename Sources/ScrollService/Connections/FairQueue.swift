/// Items of several users, which take turns: between two items of one user, each other user with items has had one.
///
/// The items of one user keep their order. A user whose first item arrives waits for one item of each user who is already there.
struct FairQueue<Item> {
  private var itemsByUser: [UInt32: Fifo<Item>] = [:]
  /// The users who have items, the next one first.
  private var users = Fifo<UInt32>()
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ item: Item, of user: UInt32) {
    count += 1
    if itemsByUser[user]?.append(item) == nil {
      itemsByUser[user] = Fifo([item])
      users.append(user)
    }
  }

  /// Removes and returns the first item of the user whose turn it is.
  mutating func popFirst() -> Item? {
    guard let user = users.popFirst(), let item = itemsByUser[user]?.popFirst() else { return nil }
    count -= 1
    if itemsByUser[user]?.isEmpty == true { itemsByUser[user] = nil } else { users.append(user) }
    return item
  }
}

/// A queue whose first item is removed in constant time.
struct Fifo<Item> {
  private var items: [Item?]
  private var start = 0

  init(_ items: [Item] = []) { self.items = items }

  var isEmpty: Bool { start == items.count }
  var count: Int { items.count - start }
  var first: Item? { isEmpty ? nil : items[start] }

  mutating func append(_ item: Item) { items.append(item) }

  mutating func popFirst() -> Item? {
    guard !isEmpty else { return nil }
    defer {
      items[start] = nil
      start += 1
      if start == items.count || start >= 64 && start * 2 >= items.count {
        items.removeFirst(start)
        start = 0
      }
    }
    return items[start]
  }
}
