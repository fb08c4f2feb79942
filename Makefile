# SPDX-License-Identifier: GPL-2.0-or-later
# Builds CAPE.  Targets: all, check, install, clean, lint; variables: CC, SANITIZE, PREFIX, DESTDIR.
#
# Every folder's *.c files belong to the product of that folder, so a new file needs no line here.

PREFIX  ?= /usr/local
B       := build
VERSION := 0.1.0

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef
CFLAGS   ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(WARNINGS) -D_GNU_SOURCE -DCAPE_VERSION='"$(VERSION)"' \
	     -Ilibcape/include -Ilibcape $(CFLAGS) -MMD -MP
# Quiet unless V=1.
Q := $(if $(V),,@)
# SANITIZE=address,undefined: everything but what is linked into a user's program, whose
# allocator and fixed addresses a sanitizer would replace.
ifneq ($(SANITIZE),)
SANITIZE_FLAGS := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
B := build/sanitize
endif

objects = $(patsubst %.c,$(B)/$(1)/%.o,$(sort $(foreach d,$(2),$(wildcard $(d)/*.c))))

CHECKPOINT_O := $(call objects,obj,libcape/checkpoint)
CHANNEL_O    := $(call objects,obj,libcape/channel)
RUNTIME_O    := $(call objects,program,libcape/checkpoint libcape/channel libcape/runtime)
TRANSLATOR_O := $(call objects,obj,translator)
RUN_O        := $(call objects,obj,monitor/run)
NODE_O       := $(call objects,mpi,monitor/node)
UNIT_TESTS   := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/*.c))
MICRO_BENCH  := $(patsubst bench/micro/%.c,$(B)/bench/micro/%,bench/micro/diff.c)
MPI_BENCH    := $(patsubst bench/mpi/%.c,$(B)/bench/mpi/%,$(wildcard bench/mpi/*.c))

BINARIES := $(B)/bin/cape-cc $(B)/bin/cape-run $(B)/bin/cape-monitor
HEADERS  := $(B)/include/cape/cape.h $(B)/include/cape/omp.h

MPI_CFLAGS  = $(patsubst -I%,-isystem %,$(shell mpicc --showme:compile))
MPI_LIBS    = $(shell mpicc --showme:link)
CLANG_CFLAGS := -isystem /usr/lib/llvm-14/include
CLANG_LIBS   := -L/usr/lib/llvm-14/lib -lclang-14

.PHONY: all check install clean lint unit-tests mpi-bench micro-bench
.DELETE_ON_ERROR:

all: $(BINARIES) $(B)/lib/libcape.a $(HEADERS)

$(B)/bin/cape-cc: $(TRANSLATOR_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ $(CLANG_LIBS)

$(B)/bin/cape-run: $(RUN_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ -lelf

$(B)/bin/cape-monitor: $(NODE_O) $(CHANNEL_O) $(CHECKPOINT_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ $(MPI_LIBS) -ldw -lelf

$(B)/lib/libcape.a: $(RUNTIME_O)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/include/cape/%.h: libcape/include/%.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/obj/translator/%.o: ALL_CFLAGS += $(CLANG_CFLAGS)

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANITIZE_FLAGS) -c -o $@ $<

# The driver's header is shared with its users.
$(B)/mpi/monitor/node/%.o: ALL_CFLAGS += -Ikmod

$(B)/mpi/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANITIZE_FLAGS) $(MPI_CFLAGS) -c -o $@ $<

# Linked into the user's program: no sanitizer, nothing that a program's own flags could upset.
$(B)/program/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -fno-stack-protector -c -o $@ $<

$(B)/tests/unit/%: tests/unit/%.c $(CHECKPOINT_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANITIZE_FLAGS) -o $@ $< $(CHECKPOINT_O) -lcmocka -lm

$(B)/bench/mpi/%: bench/mpi/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -Wall -Wextra -Werror -O2 -g $(MPI_CFLAGS) -Ibench -o $@ $< \
		$(MPI_LIBS) -lm

$(B)/bench/micro/%: bench/micro/%.c $(CHECKPOINT_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANITIZE_FLAGS) -o $@ $< $(CHECKPOINT_O) -lm

unit-tests: $(UNIT_TESTS)
mpi-bench: $(MPI_BENCH)
micro-bench: $(MICRO_BENCH)

check: all unit-tests mpi-bench
	CAPE_BUILD=$(abspath $(B)) CMOCKA_MESSAGE_OUTPUT=TAP prove --recurse $(UNIT_TESTS) tests

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/include/cape
	install -m 755 $(BINARIES) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(B)/lib/libcape.a $(DESTDIR)$(PREFIX)/lib
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/cape
	for page in $(wildcard */*.[1-9] */*/*.[1-9]); do \
		section=$${page##*.}; \
		install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$$section/$${page##*/}; \
	done

lint:
	scripts/lint

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
