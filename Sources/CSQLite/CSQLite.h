// The door to SQLite, into whose files scrollctl exports sessions.
#pragma once
#include <sqlite3.h>
