// Clocks that advance by a microsecond whenever they are read, and timers that never expire.
//
// The daemon bounds its turns by time. Under callgrind it is fifty times slower, and on a busy machine slower still, so that with
// real clocks the number of calls in a turn, and with it the count of instructions, would depend on what else the machine does.
#include <sys/timerfd.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  static _Atomic long reads = 0;
  long microseconds = ++reads;
  (void)clock;
  time->tv_sec = 1700000000 + microseconds / 1000000;
  time->tv_nsec = microseconds % 1000000 * 1000;
  return 0;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *new, struct itimerspec *old) {
  (void)timer, (void)flags, (void)new, (void)old;
  return 0;
}
