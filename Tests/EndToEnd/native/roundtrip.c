// Measures round trips in turn, of a message to an echo server and of an Append of one event to a daemon, so that other load on
// the machine affects both alike:
//
//   roundtrip ECHO DAEMON COUNT
//
// Prints p50 and p99 in microseconds, for the echo server and then for the daemon.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

// Sends a message and receives one.
static void exchange(int connection, const char *message) {
  static char buffer[1 << 16];
  size_t length = strlen(message) + 1;
  if (send(connection, message, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send");
  ssize_t received;
  do {
    received = recv(connection, buffer, sizeof buffer, 0);
    if (received <= 0) fail("recv");
  } while (buffer[received - 1] != 0);
  if (strstr(buffer, "\"error\"")) {
    fprintf(stderr, "%s\n", buffer);
    exit(1);
  }
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static int open_connection(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  return connection;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int connections[2] = {open_connection(argv[1]), open_connection(argv[2])};
  char session[33], message[512];
  snprintf(session, sizeof session, "%032llx", (unsigned long long)(now() * 1000));
  snprintf(message, sizeof message,
           "{\"method\":\"org.scrolld.Recorder.Open\",\"parameters\":{\"client\":\"measured\",\"session\":\"%s\"}}",
           session);
  exchange(connections[1], message);
  snprintf(message, sizeof message,
           "{\"method\":\"org.scrolld.Recorder.Append\",\"parameters\":{\"session\":\"%s\","
           "\"events\":[{\"kind\":\"scroll\",\"time\":1,\"x\":0,\"y\":0}]}}",
           session);
  int count = atoi(argv[3]);
  double *times[2] = {calloc(count, sizeof(double)), calloc(count, sizeof(double))};
  for (int round = 0; round < count; round++) {
    for (int i = 0; i < 2; i++) {
      double begin = now();
      exchange(connections[i], message);
      times[i][round] = now() - begin;
    }
  }
  for (int i = 0; i < 2; i++) {
    qsort(times[i], count, sizeof(double), compare);
    printf("%.0f %.0f\n", times[i][count / 2], times[i][count - 1 - count / 100]);
  }
  return 0;
}
