// The door to libpq, by which scroll-relay speaks to PostgreSQL.
#pragma once
#include <libpq-fe.h>
