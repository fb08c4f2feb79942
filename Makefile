# SPDX-License-Identifier: GPL-2.0-or-later
# Builds CAPE.  Targets: all, check, install, uninstall, clean, lint; variables: CC, LLVM_CONFIG,
# SANITIZE, WERROR=1, PREFIX, DESTDIR.
#
# Every folder's *.c files belong to the product of that folder, so a new file needs no line here.

PREFIX  ?= /usr/local
B       := build
VERSION := 0.1.0

# WERROR=1, for who works on CAPE: a compiler that is newer than CAPE may warn of what is right.
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef \
	    $(if $(WERROR),-Werror)
# For a debugger: CFLAGS="-O0 -g".  With more than lines in libcape.a a program links longer, and is
# three times as large.
CFLAGS   ?= -O2 -g1
ALL_CFLAGS = -std=gnu11 $(WARNINGS) -D_GNU_SOURCE -DCAPE_VERSION='"$(VERSION)"' \
	     -Ilibcape/include -Ilibcape -Imonitor -Itranslator $(CFLAGS) -MMD -MP
# Quiet unless V=1.
Q := $(if $(V),,@)
# SANITIZE=address,undefined: everything but what is linked into a user's program, whose
# allocator and fixed addresses a sanitizer would replace.
ifneq ($(SANITIZE),)
SANITIZE_FLAGS := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
B := build/sanitize
endif

objects = $(patsubst %.c,$(B)/$(1)/%.o,$(sort $(foreach d,$(2),$(wildcard $(d)/*.c))))

CHECKPOINT_O := $(call objects,obj,libcape/checkpoint libcape/paper) \
		$(call objects,obj,libcape/system)
CHANNEL_O    := $(call objects,obj,libcape/channel)
RUNTIME_O    := $(call objects,program,$(wildcard libcape/*))
TRANSLATOR_O := $(call objects,obj,$(wildcard translator/*))
RUN_O        := $(call objects,obj,monitor/run monitor/check)
COMMON_O     := $(call objects,obj,monitor/common libcape/system)
CAPECTL_O    := $(call objects,obj,monitor/tools monitor/tools/time)
CKPT_O       := $(call objects,obj,monitor/ckpt monitor/file monitor/debug)
FILE_O       := $(call objects,obj,monitor/file)
SET_O        := $(patsubst %,$(B)/obj/monitor/save/%.o,lock part set trust whole)
NODE_O       := $(call objects,obj,$(addprefix monitor/,file base wire stream capture service \
		fetch debug profile save node))
# A monitor is linked with one wire; MPI takes longer to load than the rest takes to run.
MONITOR_O     = $(filter-out %/wire_alone.o,$(NODE_O))
ALONE_O       = $(filter-out %/wire_mpi.o,$(NODE_O))
SOCKETS_O     = $(filter-out %/wire_mpi.o %/wire_alone.o,$(NODE_O)) \
		$(call objects,obj,monitor/wire/sockets)
# What threads in one process need; all of it is tested with -fsanitize=thread, too.
THREADS_C    := $(filter-out %/death.c %/watched.c %/profiled.c %/own_memory.c, \
		$(wildcard $(addprefix libcape/,threads/*.c base/*.c channel/*.c))) \
		$(patsubst %,libcape/openmp/%.c,clauses devices exports lock_exports \
		omp_api outlined_task places region_at task_exports task_reduction_exports topology)
THREADS_O    := $(THREADS_C:%.c=$(B)/obj/%.o)
# Pages that come and are opened, beside a second thread.
FILL_O       := $(patsubst %,$(B)/obj/libcape/%.o,$(addprefix need/,entries fault fetch page \
		protect share) $(addprefix memory/,area directory hidden node_set transitions twin))
UNIT_TESTS   := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/*.c)) \
		$(if $(findstring clang,$(CC)),,$(B)/tests/unit/threads-tsan \
		$(B)/tests/unit/tasks-tsan)
# Linked statically: they run in a guest (tests/driver/test).
MODULE_TESTS := $(patsubst %.c,$(B)/%,$(filter-out %/module.c %/area.c,\
		$(wildcard tests/driver/*.c)))
# What cape-bench measures: each OpenMP program as CAPE and as gcc build it, and the others.
BENCH        := $(B)/lib/cape
OMP_BENCH    := $(notdir $(basename $(wildcard bench/omp/*.c bench/apps/*.c)))
MPI_BENCH    := $(notdir $(basename $(wildcard bench/mpi/*.c bench/apps/mpi/*.c)))
PROGRAMS     := $(addprefix $(BENCH)/bench/cape/,$(OMP_BENCH)) \
		$(addprefix $(BENCH)/bench/openmp/,$(OMP_BENCH)) \
		$(addprefix $(BENCH)/bench/mpi/,$(MPI_BENCH)) \
		$(patsubst bench/%.c,$(BENCH)/bench/%,$(wildcard bench/micro/*.c))
BENCH_PARTS  := $(BENCH)/cluster $(patsubst bench/%,$(BENCH)/%,\
		$(wildcard bench/cape_bench/*.py bench/cape_bench/experiments/*.py))

BINARIES := $(addprefix $(B)/bin/,cape-cc cape-run cape-monitor cape-ckpt capectl cape-bench)
# The monitor of a run of one node.
ALONE    := $(B)/lib/cape/alone/cape-monitor
# That of a run by --wire test, which is for tests and is not installed.
SOCKETS  := $(B)/lib/cape/sockets/cape-monitor
HEADERS  := $(B)/include/cape/cape.h $(B)/include/cape/omp.h $(B)/include/cape/cape_sync.h \
		$(B)/include/cape/cape_outlined.h $(B)/include/cape/cape_outlined_tasks.h \
		$(B)/include/cape/cape_threadprivate.h \
		$(B)/include/cape/cape_atomic.h $(B)/include/cape/cape_sets.h \
		$(B)/include/cape/cape_plan.h

# What cape-ckpt export writes; it is built without where there is none.
HDF5_CFLAGS = $(shell pkg-config --exists hdf5 2>/dev/null && \
		echo -DCAPE_HDF5 && pkg-config --cflags hdf5 | sed 's/-I/-isystem /g')
HDF5_LIBS   = $(shell pkg-config --libs hdf5 2>/dev/null)

MPI_CFLAGS  = $(patsubst -I%,-isystem %,$(shell mpicc --showme:compile))
MPI_LIBS    = $(shell mpicc --showme:link)
# Asked where it is used: what is no translator is built without it.
LIBCLANG      = LLVM_CONFIG='$(LLVM_CONFIG)' scripts/libclang
CLANG_CFLAGS  = $(or $(shell $(LIBCLANG) --cflags),$(error libclang is missing (see above)))
CLANG_LIBS    = $(shell $(LIBCLANG) --libs)

.PHONY: all check check-debug-kernel check-kernels clean commands fuzz-file fuzz-module \
	generated-programs install lint measure-module module-tests uninstall unit-tests
.DELETE_ON_ERROR:

all: $(BINARIES) $(ALONE) $(SOCKETS) $(B)/lib/libcape.a $(HEADERS)

# Without what cape-bench measures.
commands: $(filter-out %/cape-bench,$(BINARIES)) $(ALONE) $(SOCKETS) $(B)/lib/libcape.a $(HEADERS)

$(B)/bin/cape-cc: $(TRANSLATOR_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ $(CLANG_LIBS)

$(B)/bin/cape-run: $(RUN_O) $(SET_O) $(COMMON_O) $(FILE_O) $(CHECKPOINT_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ -lelf -lzstd

$(B)/bin/cape-ckpt: $(CKPT_O) $(CHANNEL_O) $(CHECKPOINT_O) \
		$(addprefix $(B)/obj/monitor/,common/hash.o common/json.o save/set.o)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ -ldw -lelf -lzstd -lm $(HDF5_LIBS)

$(B)/bin/capectl: $(CAPECTL_O) $(addprefix $(B)/obj/monitor/common/,clock.o json.o list.o \
		process_state.o user_signals.o)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ -ldw -lelf

$(B)/bin/cape-monitor: $(MONITOR_O) $(COMMON_O) $(CHANNEL_O) $(CHECKPOINT_O) $(FILE_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ $(MPI_LIBS) -ldw -lelf -lzstd

$(ALONE): $(ALONE_O)
$(SOCKETS): $(SOCKETS_O)
$(ALONE) $(SOCKETS): $(COMMON_O) $(CHANNEL_O) $(CHECKPOINT_O) $(FILE_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ -ldw -lelf -lzstd

$(B)/lib/libcape.a: scripts/make-library $(RUNTIME_O)
	@mkdir -p $(@D)
	$(Q)CC='$(CC)' AR='$(AR)' scripts/make-library $@ $(RUNTIME_O)

$(B)/include/cape/%.h: libcape/include/%.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

# The driver's header is shared with its users.
$(B)/obj/monitor/%.o: ALL_CFLAGS += -Ikmod

# The one file that knows HDF5.
$(B)/obj/monitor/ckpt/hdf5.o: ALL_CFLAGS += $(HDF5_CFLAGS)

# The one file that knows MPI.
$(B)/obj/monitor/wire/wire_mpi.o: ALL_CFLAGS += $(MPI_CFLAGS)

$(B)/obj/translator/%.o: ALL_CFLAGS += $(CLANG_CFLAGS)

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANITIZE_FLAGS) -c -o $@ $<

# Linked into the user's program: no sanitizer, nothing that a program's own flags could upset.
$(B)/program/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -fno-stack-protector -c -o $@ $<

$(B)/tests/unit/%: tests/unit/%.c $(CHECKPOINT_O) $(FILE_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANITIZE_FLAGS) -o $@ $< $(filter %.o,$^) -lzstd -lcmocka -lm

$(B)/tests/unit/threads $(B)/tests/unit/tasks: $(THREADS_O)
$(B)/tests/unit/fill: $(FILL_O)
$(B)/tests/unit/sets: $(addprefix $(B)/obj/libcape/sets/,intervals.o box.o columns.o)
# A fence, which gcc's sanitizer does not know, orders nothing that it is to look at.
$(B)/tests/unit/%-tsan: tests/unit/%.c $(filter-out %/private.c,$(THREADS_C)) \
		$(wildcard libcape/checkpoint/*.c libcape/system/*.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Wno-tsan -fsanitize=thread -o $@ $(filter %.c,$^) -lcmocka -lm

$(addprefix $(B)/tests/driver/,epochs onlookers timeline): tests/driver/area.c tests/driver/area.h
$(B)/tests/driver/%: tests/driver/%.c tests/driver/module.c tests/driver/module.h \
		$(wildcard kmod/uapi/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -Ikmod -pthread -static -o $@ \
		$(filter %.c,$^)

$(B)/bin/cape-bench: bench/cape-bench $(PROGRAMS) $(BENCH_PARTS)
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

$(BENCH)/cluster: scripts/cluster
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

$(BENCH)/cape_bench/%.py: bench/cape_bench/%.py
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@

BENCH_HEADERS := $(wildcard bench/*.h bench/*/*.h bench/*/*/*.h)
CAPE_TOOLS    := $(B)/bin/cape-cc $(B)/lib/libcape.a $(HEADERS)
# What is compared must differ in what CAPE does, not in where a loop happens to lie.
BENCH_CFLAGS  := -O2 -falign-loops=64
CAPE_PROGRAM   = $(Q)$(B)/bin/cape-cc $(BENCH_CFLAGS) -o $@ $< -lm
# Clang's OpenMP library is not asked for.
OPENMP_PROGRAM = $(Q)gcc $(BENCH_CFLAGS) -fopenmp -o $@ $< -lm
MPI_PROGRAM    = $(Q)$(CC) -std=gnu11 $(WARNINGS) $(BENCH_CFLAGS) $(MPI_CFLAGS) -o $@ $< \
		     $(MPI_LIBS) -lm

$(BENCH)/bench/cape/%: bench/omp/%.c $(BENCH_HEADERS) $(CAPE_TOOLS)
	@mkdir -p $(@D)
	$(CAPE_PROGRAM)

$(BENCH)/bench/cape/%: bench/apps/%.c $(BENCH_HEADERS) $(CAPE_TOOLS)
	@mkdir -p $(@D)
	$(CAPE_PROGRAM)

$(BENCH)/bench/openmp/%: bench/omp/%.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(OPENMP_PROGRAM)

$(BENCH)/bench/openmp/%: bench/apps/%.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(OPENMP_PROGRAM)

$(BENCH)/bench/mpi/%: bench/mpi/%.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(MPI_PROGRAM)

$(BENCH)/bench/mpi/%: bench/apps/mpi/%.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(MPI_PROGRAM)

$(BENCH)/bench/micro/%: bench/micro/%.c $(CHECKPOINT_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(SANITIZE_FLAGS) -o $@ \
		$< $(CHECKPOINT_O) -lm

unit-tests: $(UNIT_TESTS)

module-tests: $(MODULE_TESTS)

check: all unit-tests module-tests
	CAPE_BUILD=$(B) scripts/test

# The driver's tests in a kernel that checks itself; that is built at first, for an hour or so.
check-debug-kernel: all module-tests
	scripts/debug-kernel $(B)/guest/debug
	CAPE_BUILD=$(B) prove --verbose --failures tests/driver/test :: debug
	CAPE_BUILD=$(B) prove --verbose --failures tests/driver/test :: debug programs.sh

# The driver built for every kernel of Debian's, and tested in the newest; as root.
check-kernels: all module-tests
	CAPE_BUILD=$(B) prove --verbose --failures tests/driver/kernels
	CAPE_BUILD=$(B) prove --verbose --failures tests/driver/test :: 7.3

# Random requests to the driver, in a guest, for longer than in check.
SECONDS ?= 600
SEED    ?= 1
KERNEL  ?= 6.1
fuzz-module: all module-tests
	CAPE_BUILD=$(B) FUZZ_SECONDS=$(SECONDS) FUZZ_SEED=$(SEED) \
		prove --verbose --failures tests/driver/test :: $(KERNEL) fuzz

# Random bytes as a checkpoint, by libFuzzer, beginning with the files of the tests.
fuzz-file: $(B)/fuzz/file
	@mkdir -p $(B)/fuzz/corpus
	$(B)/fuzz/file -seed=$(SEED) -max_total_time=$(SECONDS) -artifact_prefix=$(B)/fuzz/ \
		$(B)/fuzz/corpus tests/run/format/frozen

$(B)/fuzz/file: tests/unit/fuzz/file.c tests/unit/file_seal.h \
		$(wildcard $(addsuffix /*.[ch],monitor/file libcape/checkpoint libcape/paper))
	@mkdir -p $(@D)
	$(Q)clang $(filter-out -MMD -MP -O2,$(ALL_CFLAGS)) -O1 \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o $@ \
		$(filter %.c,$^) $(wildcard libcape/system/*.c) -lzstd -lm

# What a written page costs in the driver's modes, and without it, what it takes to put a process
# back, to know only what was written, and to learn of every write to a byte, in a guest that counts
# instructions, whatever else the machine does.
measure-module: module-tests
	scripts/guest --instructions --timeout 3600 --file $(B)/tests/driver/cost \
		--file $(B)/tests/driver/rewind $(KERNEL) 'cost 1024 && rewind'
	scripts/guest --instructions --cpu max,-erms,-fsrm --timeout 3600 \
		--file $(B)/tests/driver/tracking --file $(B)/tests/driver/bytes $(KERNEL) \
		'tracking && bytes price'

# Random OpenMP programs against their oracle; some of them are part of check.
COUNT ?= 1000
generated-programs: all
	CAPE_BUILD=$(abspath $(B)) tests/generate/run --count $(COUNT)

# What install copies and uninstall removes: MODE:FILE:PLACE under PREFIX.
PAGES      := $(wildcard $(addsuffix /*.[1-9],bench monitor/* translator/*))
COMPLETION := $(wildcard scripts/completion/*)
INSTALLED   = $(foreach f,$(BINARIES),755:$f:bin/$(notdir $f)) \
	      $(foreach f,$(PROGRAMS) $(BENCH)/cluster,755:$f:lib/cape/$(f:$(BENCH)/%=%)) \
	      $(foreach f,$(filter %.py,$(BENCH_PARTS)),644:$f:lib/cape/$(f:$(BENCH)/%=%)) \
	      755:$(ALONE):lib/cape/alone/cape-monitor \
	      644:$(B)/commit:lib/cape/commit 644:$(B)/lib/libcape.a:lib/libcape.a \
	      644:$(B)/cape.pc:lib/pkgconfig/cape.pc \
	      $(foreach f,$(HEADERS),644:$f:include/cape/$(notdir $f)) \
	      $(foreach f,$(PAGES),644:$f:share/man/man$(subst .,,$(suffix $f))/$(notdir $f)) \
	      $(foreach f,$(COMPLETION),644:$f:share/bash-completion/completions/$(notdir $f))

install: all
	git describe --always --abbrev=12 --dirty >$(B)/commit || echo unknown >$(B)/commit
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' libcape/cape.pc.in >$(B)/cape.pc
	$(Q)for entry in $(INSTALLED); do \
		mode=$${entry%%:*} rest=$${entry#*:}; \
		install -D -m $$mode $${rest%%:*} "$(DESTDIR)$(PREFIX)/$${rest#*:}" || exit; \
	done

# Folders that others may have files in are left.
uninstall:
	$(Q)[ ! -d "$(DESTDIR)$(PREFIX)/" ] || { cd "$(DESTDIR)$(PREFIX)/" && \
		rm -f $(foreach e,$(INSTALLED),$(lastword $(subst :, ,$e))) && \
		for own in lib/cape include/cape; do \
			[ ! -d $$own ] || find $$own -depth -type d -empty -delete || exit; \
		done; }

lint:
	scripts/lint

clean:
	rm -rf build

# What guests and other kernels are made of lies in folders of their own.
-include $(shell find $(B) \( -path $(B)/guest -o -path $(B)/kernels \) -prune -o \
	-name '*.d' -type f -print 2>/dev/null)
