/* index: what the job of that kind is asked for. Its result is an index_report. */
#ifndef QUERENT_JOB_INDEX_H
#define QUERENT_JOB_INDEX_H

#include "type.h"

struct index_input {
    bool full; /* read the contents of tables again that did not change */
};
extern const struct type index_input_type;

#endif
