/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints cape:*, for perf, trace-cmd and /sys/kernel/tracing/events/cape. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM cape

#if !defined(_CAPE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _CAPE_TRACE_H

#include <linux/tracepoint.h>
#include "driver.h"

#define cape_show_mode(mode) \
	__print_symbolic(mode, { CAPE_MODE_SNAPSHOT, "snapshot" }, \
			 { CAPE_MODE_NOTIFY, "notify" }, { CAPE_MODE_RECORD, "record" })

#define cape_show_twin(state) \
	__print_symbolic(state, { CAPE_TWIN_NONE, "none" }, { CAPE_TWIN_ZERO, "zero" }, \
			 { CAPE_TWIN_PAGE, "page" })

DECLARE_EVENT_CLASS(cape_process,
		    TP_PROTO(struct pid *process),
		    TP_ARGS(process),
		    TP_STRUCT__entry(__field(pid_t, process)),
		    TP_fast_assign(__entry->process = pid_nr(process);),
		    TP_printk("process=%d", __entry->process)
);

DEFINE_EVENT(cape_process, cape_attach, TP_PROTO(struct pid *process), TP_ARGS(process));
DEFINE_EVENT(cape_process, cape_release, TP_PROTO(struct pid *process), TP_ARGS(process));

DECLARE_EVENT_CLASS(cape_image,
		    TP_PROTO(struct pid *process, const struct cape_snapshot *snapshot),
		    TP_ARGS(process, snapshot),
		    TP_STRUCT__entry(__field(pid_t, process)
				     __field(u32, mode)
				     __field(u32, ranges)
				     __field(u64, twins)
				     __field(u64, open)),
		    TP_fast_assign(__entry->process = pid_nr(process);
				   __entry->mode = snapshot->mode;
				   __entry->ranges = snapshot->whole ? 0 : snapshot->range_count;
				   __entry->twins = snapshot->twin_count;
				   __entry->open = snapshot->open_count;),
		    TP_printk("process=%d mode=%s ranges=%u twins=%llu open=%llu",
			      __entry->process, cape_show_mode(__entry->mode), __entry->ranges,
			      __entry->twins, __entry->open)
);

DEFINE_EVENT(cape_image, cape_lock,
	     TP_PROTO(struct pid *process, const struct cape_snapshot *snapshot),
	     TP_ARGS(process, snapshot));
DEFINE_EVENT(cape_image, cape_unlock,
	     TP_PROTO(struct pid *process, const struct cape_snapshot *snapshot),
	     TP_ARGS(process, snapshot));

DECLARE_EVENT_CLASS(cape_page,
		    TP_PROTO(struct pid *process, u64 address),
		    TP_ARGS(process, address),
		    TP_STRUCT__entry(__field(pid_t, process)
				     __field(u64, address)),
		    TP_fast_assign(__entry->process = pid_nr(process);
				   __entry->address = address;),
		    TP_printk("process=%d address=%#llx", __entry->process, __entry->address)
);

DEFINE_EVENT(cape_page, cape_notify,
	     TP_PROTO(struct pid *process, u64 address), TP_ARGS(process, address));
DEFINE_EVENT(cape_page, cape_unlock_page,
	     TP_PROTO(struct pid *process, u64 address), TP_ARGS(process, address));

TRACE_EVENT(cape_capture,
	    TP_PROTO(struct pid *process, const struct cape_capture *capture),
	    TP_ARGS(process, capture),
	    TP_STRUCT__entry(__field(pid_t, process)
			     __field(u32, twin)
			     __field(u32, flags)
			     __field(u64, address)),
	    TP_fast_assign(__entry->process = pid_nr(process);
			   __entry->twin = capture->twin_state;
			   __entry->flags = capture->flags;
			   __entry->address = capture->address;),
	    TP_printk("process=%d address=%#llx twin=%s flags=%#x", __entry->process,
		      __entry->address, cape_show_twin(__entry->twin), __entry->flags)
);

TRACE_EVENT(cape_collect,
	    TP_PROTO(struct pid *process, const struct cape_collect *collect, int error),
	    TP_ARGS(process, collect, error),
	    TP_STRUCT__entry(__field(pid_t, process)
			     __field(u32, pages)
			     __field(u32, twins)
			     __field(u32, flags)
			     __field(u64, cursor)
			     __field(int, error)),
	    TP_fast_assign(__entry->process = pid_nr(process);
			   __entry->pages = collect->page_count;
			   __entry->twins = collect->twin_count;
			   __entry->flags = collect->flags;
			   __entry->cursor = collect->cursor;
			   __entry->error = error;),
	    TP_printk("process=%d pages=%u twins=%u flags=%#x cursor=%#llx error=%d",
		      __entry->process, __entry->pages, __entry->twins, __entry->flags,
		      __entry->cursor, __entry->error)
);

TRACE_EVENT(cape_epoch,
	    TP_PROTO(struct pid *process, const struct cape_epoch *epoch),
	    TP_ARGS(process, epoch),
	    TP_STRUCT__entry(__field(pid_t, process)
			     __field(u64, epoch)
			     __field(u64, pages)),
	    TP_fast_assign(__entry->process = pid_nr(process);
			   __entry->epoch = epoch->epoch;
			   __entry->pages = epoch->page_count;),
	    TP_printk("process=%d epoch=%llu pages=%llu", __entry->process, __entry->epoch,
		      __entry->pages)
);

TRACE_EVENT(cape_rollback,
	    TP_PROTO(struct pid *process, const struct cape_rollback *rollback, int error),
	    TP_ARGS(process, rollback, error),
	    TP_STRUCT__entry(__field(pid_t, process)
			     __field(int, error)
			     __field(u64, pages)
			     __field(u64, address)),
	    TP_fast_assign(__entry->process = pid_nr(process);
			   __entry->error = error;
			   __entry->pages = rollback->page_count;
			   __entry->address = rollback->address;),
	    TP_printk("process=%d pages=%llu error=%d address=%#llx", __entry->process,
		      __entry->pages, __entry->error, __entry->address)
);

#endif /* _CAPE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
