// Floods a socket until it is killed:
//
//   flood SOCKET garbage|halves|connects
//
// garbage: bytes that are not messages; halves: messages that never end, on 16 connections; connects: connections that do nothing.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char junk[1 << 16];

// Connects, or returns -1 if the flooded side refuses.
static int open_connection(void) {
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return -1;
  if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) return connection;
  close(connection);
  return -1;
}

static void garbage(void) {
  for (;;) {
    int connection = open_connection();
    if (connection < 0) continue;
    // Sends until the other side closes the connection.
    for (int i = 0; i < 64 && send(connection, junk, 4096, MSG_NOSIGNAL) > 0; i++) {}
    close(connection);
  }
}

static void halves(void) {
  struct pollfd connections[16];
  for (int i = 0; i < 16; i++) connections[i] = (struct pollfd){.fd = -1, .events = POLLOUT};
  for (;;) {
    for (int i = 0; i < 16; i++) {
      if (connections[i].fd < 0) connections[i].fd = open_connection();
    }
    poll(connections, 16, 1);
    for (int i = 0; i < 16; i++) {
      if (connections[i].fd < 0 || connections[i].revents == 0) continue;
      ssize_t sent = send(connections[i].fd, junk, sizeof junk, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0 || errno == EAGAIN) continue;
      close(connections[i].fd);
      connections[i].fd = -1;
    }
  }
}

static void connects(void) {
  for (;;) {
    int connection = open_connection();
    if (connection >= 0) close(connection);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  memset(junk, 'x', sizeof junk);
  if (strcmp(argv[2], "garbage") == 0) {
    for (size_t i = 63; i < sizeof junk; i += 64) junk[i] = 0;
    garbage();
  }
  if (strcmp(argv[2], "halves") == 0) halves();
  if (strcmp(argv[2], "connects") == 0) connects();
  return 2;
}
