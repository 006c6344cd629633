// A library to preload, with which a program's wall clock is off by the seconds that the file $CLOCK_SHIFT_FILE has. The file is
// read at each call, so that a test can let the clock jump. (libfaketime keeps Swift's programs from getting their arguments.)
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, id, time);
  const char *path = getenv("CLOCK_SHIFT_FILE");
  if (id != CLOCK_REALTIME || result != 0 || !path) return result;
  FILE *file = fopen(path, "r");
  long shift = 0;
  if (file) {
    if (fscanf(file, "%ld", &shift) != 1) shift = 0;
    fclose(file);
  }
  time->tv_sec += shift;
  return result;
}
