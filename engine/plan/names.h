/* names: the words of the plan's JSON grammar, shared by decode and encode; beside the enums of plan.h. Private to
 * plan/. */
#ifndef QUERENT_PLAN_NAMES_H
#define QUERENT_PLAN_NAMES_H

extern const char *const expr_kind_names[],
    *const join_type_names[], *const set_op_names[], *const frame_unit_names[], *const bound_kind_names[],
                                                                                    *const frame_exclude_names[];

#endif
