import Glibc

/// A mutex and its condition (pthread_mutex_lock(3), pthread_cond_wait(3)).
///
/// Unchecked: both objects of the C library may be shared between threads, and stay at one address.
public final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// A monitor that no thread holds.
  public init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` while no other thread runs one.
  public func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Within ``locked(_:)``: waits for a signal.
  public func wait() { pthread_cond_wait(condition, mutex) }

  /// Within ``locked(_:)``: waits for a signal, at most for this many microseconds.
  public func wait(microseconds: Int64) {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let nanoseconds = Int64(time.tv_nsec) + microseconds % 1_000_000 * 1_000
    time.tv_sec += Int(microseconds / 1_000_000 + nanoseconds / 1_000_000_000)
    time.tv_nsec = Int(nanoseconds % 1_000_000_000)
    pthread_cond_timedwait(condition, mutex, &time)
  }

  /// Wakes one waiting thread.
  public func signal() { pthread_cond_signal(condition) }
}
