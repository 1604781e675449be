#include "engine.h"

const char querent_version[] = QUERENT_VERSION;
