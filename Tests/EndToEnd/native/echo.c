// A bare echo server, for comparison: it sends back what it receives.
//
//   echo SOCKET
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void fail(const char *what) {
  perror(what);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0) fail("bind");
  if (chmod(argv[1], 0666) < 0 || listen(listener, 4096) < 0) fail("listen");
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0) fail("epoll");
  static char buffer[1 << 18];
  for (;;) {
    if (epoll_wait(epoll, &event, 1, -1) < 0) {
      if (errno == EINTR) continue;
      fail("epoll_wait");
    }
    if (event.data.fd == listener) {
      int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (connection < 0) continue;
      struct epoll_event added = {.events = EPOLLIN, .data.fd = connection};
      if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection, &added) < 0) fail("epoll_ctl");
      continue;
    }
    ssize_t received = recv(event.data.fd, buffer, sizeof buffer, 0);
    // A client that doesn't read loses data, which is good enough for a measurement.
    if (received > 0) send(event.data.fd, buffer, received, MSG_NOSIGNAL);
    if (received == 0 || (received < 0 && errno != EAGAIN)) close(event.data.fd);
  }
}
