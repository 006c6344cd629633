// Measures how long an event takes from one feeder to many subscribers, with two daemons in turn, so that other load on the
// machine affects both alike:
//
//   latency PLAIN BURDENED SUBSCRIBERS ROUNDS
//
// In each round, one event toggles a toolbar, and the program waits for each subscriber's transition. The burdened daemon has
// two more subscribers, of which one never reads and one reads a byte per second. Prints p50 and p99 of all arrivals in
// microseconds, for the plain daemon and then for the burdened one.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// A daemon and its connections.
struct scene {
  const char *path;
  char session[33];
  int feeder;
  int epoll;
  long long events;
  double *arrivals;
  size_t arrived;
};

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int open_connection(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  return connection;
}

static void send_message(int connection, const char *message) {
  size_t left = strlen(message) + 1;
  while (left > 0) {
    ssize_t sent = send(connection, message, left, MSG_NOSIGNAL);
    if (sent < 0) fail("send");
    message += sent;
    left -= sent;
  }
}

// Receives messages until one contains a text.
static void wait_for(int connection, const char *text) {
  static char buffer[1 << 16];
  size_t count = 0;
  for (;;) {
    if (count == sizeof buffer) exit(1);
    ssize_t received = recv(connection, buffer + count, 1, 0);
    if (received <= 0) fail("recv");
    if (buffer[count++] != 0) continue;
    if (strstr(buffer, text)) return;
    if (strstr(buffer, "\"error\"")) {
      fprintf(stderr, "%s\n", buffer);
      exit(1);
    }
    count = 0;
  }
}

static int subscribe(const char *path) {
  int connection = open_connection(path);
  send_message(connection, "{\"method\":\"org.scrolld.Observer.Subscribe\",\"more\":true}");
  wait_for(connection, "\"caughtUp\"");
  return connection;
}

// Sends events that each toggle the toolbar, without waiting for the answer.
static void flip(struct scene *scene, int count) {
  static char message[1 << 20];
  int length = snprintf(message, sizeof message,
                        "{\"method\":\"org.scrolld.Recorder.Append\",\"parameters\":{\"session\":\"%s\",\"events\":[",
                        scene->session);
  for (int i = 0; i < count; i++) {
    length += snprintf(message + length, sizeof message - length,
                       "%s{\"kind\":\"scroll\",\"time\":%lld,\"x\":0,\"y\":%d}", i ? "," : "", scene->events,
                       scene->events % 2 ? 400 : 100);
    scene->events++;
  }
  snprintf(message + length, sizeof message - length, "]}}");
  send_message(scene->feeder, message);
}

static void begin(struct scene *scene, int subscribers) {
  char message[512];
  scene->feeder = open_connection(scene->path);
  snprintf(scene->session, sizeof scene->session, "%032llx", (unsigned long long)(now() * 1000));
  snprintf(message, sizeof message,
           "{\"method\":\"org.scrolld.Recorder.Open\",\"parameters\":{\"client\":\"measured\",\"session\":\"%s\"}}",
           scene->session);
  send_message(scene->feeder, message);
  wait_for(scene->feeder, "nextNumber");
  // Gives the page something to scroll; the first scroll does not toggle the toolbar.
  flip(scene, 2);
  wait_for(scene->feeder, "nextNumber");
  scene->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (scene->epoll < 0) fail("epoll_create1");
  for (int i = 0; i < subscribers; i++) {
    int connection = subscribe(scene->path);
    fcntl(connection, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = connection};
    if (epoll_ctl(scene->epoll, EPOLL_CTL_ADD, connection, &event) < 0) fail("epoll_ctl");
  }
}

// Toggles the toolbar and waits until all subscribers have received the transition.
static void play(struct scene *scene, int subscribers) {
  static struct epoll_event events[1024];
  static char buffer[1 << 16];
  double sent = now();
  flip(scene, 1);
  for (int heard = 0; heard < subscribers;) {
    int ready = epoll_wait(scene->epoll, events, 1024, 30000);
    if (ready <= 0) {
      fprintf(stderr, "only %d of %d have heard\n", heard, subscribers);
      exit(1);
    }
    double time = now() - sent;
    for (int i = 0; i < ready; i++) {
      ssize_t received = recv(events[i].data.fd, buffer, sizeof buffer, 0);
      if (received <= 0) fail("recv of a subscriber");
      // A message arrives in one piece, since nothing else is queued; heartbeats have no transition.
      if (!memmem(buffer, received, "\"transition\"", 12)) continue;
      scene->arrivals[scene->arrived++] = time;
      heard++;
    }
  }
  wait_for(scene->feeder, "nextNumber");
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  struct scene scenes[2] = {{.path = argv[1]}, {.path = argv[2]}};
  int subscribers = atoi(argv[3]), rounds = atoi(argv[4]);
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) fail("getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) < 0) fail("setrlimit");

  int stopped = subscribe(scenes[1].path);
  int slow = subscribe(scenes[1].path);
  for (int i = 0; i < 2; i++) {
    begin(&scenes[i], 0);
    // Exceeds the buffers of the kernel and the daemon, so that slow subscribers are behind from the start.
    for (int piece = 0; piece < 8; piece++) {
      flip(&scenes[i], 1000);
      wait_for(scenes[i].feeder, "nextNumber");
    }
    begin(&scenes[i], subscribers);
    scenes[i].arrivals = calloc((size_t)subscribers * rounds, sizeof(double));
  }
  double due = now();
  char byte;
  for (int round = 0; round < rounds; round++) {
    if (now() >= due) {
      if (recv(slow, &byte, 1, MSG_DONTWAIT) < 0 && errno != EAGAIN) fail("recv of the slow one");
      due += 1e6;
    }
    for (int i = 0; i < 2; i++) play(&scenes[i], subscribers);
  }
  for (int i = 0; i < 2; i++) {
    size_t count = scenes[i].arrived;
    qsort(scenes[i].arrivals, count, sizeof(double), compare);
    printf("%.0f %.0f\n", scenes[i].arrivals[count / 2], scenes[i].arrivals[count - 1 - count / 100]);
  }
  close(stopped);
  return 0;
}
