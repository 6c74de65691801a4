// The scheduler: blocks, barriers, warps, and who runs next.
//
// A few blocks are resident at once, each with a queue of threads that can run. One thread runs at a time, until it
// comes to a meeting point: a barrier, a warp intrinsic, an atomic, a fence. There it may have to wait, or the seed may
// decide that somebody else goes first:
//
//     queue of block 4: [0 1 2 3]    seed 0 takes 0, 1, 2, 3; seed 1 starts with [3 2 1 0]; other seeds draw at random
//     0 waits at a barrier           [1 2 3]
//     1, 2 and 3 wait as well        all four have come: the queue is [0 1 2 3] again
//
// A thread that ends hands its stack to the next one, so threads that never wait run one after the other, as a loop
// would run them. Blocks share the memory of `__shared__` variables (one linker section), so the section is copied out
// and in when another block takes over; a new block finds noise in it.
//
// What is reported: a block whose queue is empty while some of its threads wait (a barrier that not everybody reaches, a
// mask that names a lane that never comes), threads that wait at different barriers, and a launch that only spins.
// Declined: finding a race by itself (compare several seeds), and stopping a loop that has no meeting point in it.
#pragma once

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
static uint3 threadIdx = {0, 0, 0}, blockIdx = {0, 0, 0};
static dim3 blockDim, gridDim;

extern "C" __attribute__((visibility("hidden"))) char __start_terrace_shared[], __stop_terrace_shared[];

namespace terrace_sim {

static const unsigned MAX_BLOCK = 1024, MAX_RESIDENT = 8, MAX_FIBRES = 1024;
static const size_t GUARD_WORDS = 8; // after the dynamic shared memory

// Makes the section exist in programs without shared memory.
__attribute__((section("terrace_shared"), used, aligned(16))) static char shared_anchor[16] = {1};

enum Op : uint8_t {
    NOTHING, SYNC_THREADS, SYNC_THREADS_OR, SYNC_THREADS_AND, SYNC_THREADS_COUNT, // of the block
    SYNC_WARP, SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, BALLOT, ANY, ALL, MATCH_ANY, // of the warp
    REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_MIN_SIGNED, REDUCE_MAX_SIGNED, REDUCE_AND, REDUCE_OR, REDUCE_XOR,
};
static const char* const OP_NAMES[] = {
    "nothing", "__syncthreads", "__syncthreads_or", "__syncthreads_and", "__syncthreads_count",
    "__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync", "__any_sync",
    "__all_sync", "__match_any_sync", "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync",
    "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync",
};

enum State : uint8_t { READY, WAITING, ENDED };

struct Thread {
    Fibre* fibre; // null before the start and after the end
    State state;
    Op op; // what it waits at, with its operands
    unsigned line, mask, operand, width;
    uint64_t value, result;
};

struct Block {
    unsigned index, live, at_barrier;
    unsigned first, ready; // the queue is a ring
    bool fresh;            // its shared memory has not been filled yet
    char* saved_shared;
    char* dynamic_shared;
    size_t dynamic_capacity;
    uint16_t queue[MAX_BLOCK];
    Thread threads[MAX_BLOCK];

    void push(unsigned thread) { queue[(first + ready++) % MAX_BLOCK] = (uint16_t)thread; }
};

enum Order : uint8_t { ASCENDING, DESCENDING, RANDOM };

struct Machine {
    const char* kernel;
    void (*call)(void*, void**); // calls the kernel with its arguments, for the current thread
    void* function;
    void** arguments;
    unsigned grid, size, dynamic_bytes; // size: threads in a block
    Order order;
    uint64_t random;
    unsigned atomic_odds, wander_odds; // one in so many
    Block* live[MAX_RESIDENT];
    unsigned live_count, turn, started;
    uint64_t stride, offset; // block number s to start has index (s * stride + offset) % grid
    Block* block;            // of the running thread, whose number is threadIdx.x
    Fibre host;
    FibrePool pool;
    uint64_t stale, patience; // meetings since something happened, and how many are allowed
    char* message;
    size_t message_bytes;
    bool failed;
    uint64_t* noise;
    size_t noise_bytes;
};

static Machine machine;
static Block slots[MAX_RESIDENT];
static const uint64_t SPIN_WEIGHT = 64; // a spinning read is more suspicious than a barrier

static inline uint64_t draw() {
    uint64_t x = machine.random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return machine.random = x;
}
static inline unsigned draw_below(unsigned bound) { return (unsigned)(((draw() >> 32) * bound) >> 32); }
static inline bool one_in(unsigned odds) { return draw_below(odds) == 0; }

static inline Thread& running() { return machine.block->threads[threadIdx.x]; }
static inline void progress() { machine.stale = 0; }

static void poison(void* memory, size_t bytes) {
    memcpy(memory, machine.noise + draw_below(512), bytes);
}

// Ends the launch from inside a thread. The other threads are abandoned where they stand.
[[noreturn]] __attribute__((format(printf, 1, 2))) static void fail(const char* format, ...) {
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (machine.message_bytes) snprintf(machine.message, machine.message_bytes, "kernel %s: %s", machine.kernel, text);
    machine.failed = true;
    fibre_switch(running().fibre, &machine.host);
    __builtin_unreachable();
}

static bool same_meeting(const Thread& a, const Thread& b) {
    return b.state == WAITING && a.op == b.op && a.mask == b.mask && (a.line == b.line || a.op == SYNC_WARP);
}

static void describe(char* text, size_t bytes, unsigned index, const Thread& thread) {
    if (thread.state == ENDED) snprintf(text, bytes, "thread %u has returned", index);
    else if (thread.state == READY) snprintf(text, bytes, "thread %u has not come", index);
    else if (thread.op < SYNC_WARP)
        snprintf(text, bytes, "thread %u waits at %s (line %u)", index, OP_NAMES[thread.op], thread.line);
    else
        snprintf(text, bytes, "thread %u waits at %s (line %u, mask %08x)", index, OP_NAMES[thread.op], thread.line,
                 thread.mask);
}

// Says why the first waiting thread of a block waits: whom it waits for, and where that one is.
static bool explain(const Block& block, char* text, size_t bytes) {
    for (unsigned i = 0; i < machine.size; i++) {
        const Thread& waiter = block.threads[i];
        if (waiter.state != WAITING) continue;
        bool warp = waiter.op >= SYNC_WARP;
        unsigned from = warp ? i & ~31u : 0, to = warp && from + 32 < machine.size ? from + 32 : machine.size;
        for (unsigned j = from; j < to; j++) {
            if (same_meeting(waiter, block.threads[j]) || (warp && !(waiter.mask >> (j & 31) & 1))) continue;
            char one[120], other[120];
            describe(one, sizeof one, i, waiter);
            describe(other, sizeof other, j, block.threads[j]);
            snprintf(text, bytes, "block %u: %s, but %s", block.index, one, other);
            return true;
        }
    }
    return false;
}

[[noreturn]] static void fail_stuck() {
    char text[300];
    if (!explain(*machine.block, text, sizeof text)) snprintf(text, sizeof text, "block %u is stuck", machine.block->index);
    fail("%s", text);
}

[[noreturn]] static void fail_spinning(unsigned line) {
    char text[300] = "";
    char where[40] = "";
    if (line) snprintf(where, sizeof where, " (line %u)", line);
    for (unsigned i = 0; i < machine.live_count && !text[0]; i++) explain(*machine.live[i], text, sizeof text);
    fail("no progress: block %u, thread %u%s waits for something that does not happen; %u of %u blocks were started%s%s",
         machine.block->index, threadIdx.x, where, machine.started, machine.grid, text[0] ? "; " : "", text);
}

static inline void grow_stale(uint64_t weight, unsigned line) {
    machine.stale += weight;
    if (machine.stale > machine.patience) fail_spinning(line);
}

static void start_block(Block& block) {
    Machine& m = machine;
    block.index = (unsigned)((m.started++ * m.stride + m.offset) % m.grid);
    block.live = block.ready = m.size;
    block.at_barrier = block.first = 0;
    block.fresh = true;
    for (unsigned i = 0; i < m.size; i++) {
        block.threads[i].fibre = nullptr;
        block.threads[i].state = READY;
        block.queue[i] = (uint16_t)(m.order == DESCENDING ? m.size - 1 - i : i);
    }
    poison(block.dynamic_shared, m.dynamic_bytes + GUARD_WORDS * 8);
    uint64_t guard = ~(uint64_t)block.index;
    for (size_t i = 0; i < GUARD_WORDS; i++) memcpy(block.dynamic_shared + m.dynamic_bytes + 8 * i, &guard, 8);
}

static void check_guard(const Block& block) {
    uint64_t guard = ~(uint64_t)block.index;
    for (size_t i = 0; i < GUARD_WORDS; i++)
        if (memcmp(block.dynamic_shared + machine.dynamic_bytes + 8 * i, &guard, 8))
            fail("block %u: wrote past the end of its %u bytes of dynamic shared memory", block.index, machine.dynamic_bytes);
}

// Puts `next` in charge: its index and its shared memory become the visible ones. `machine.block` is null when the
// block that was in charge has ended.
static void enter_block(Block* next) {
    size_t bytes = (size_t)(__stop_terrace_shared - __start_terrace_shared);
    if (machine.block) memcpy(machine.block->saved_shared, __start_terrace_shared, bytes);
    if (next->fresh) poison(__start_terrace_shared, bytes);
    else memcpy(__start_terrace_shared, next->saved_shared, bytes);
    next->fresh = false;
    machine.block = next;
    blockIdx.x = next->index;
}

// Chooses the thread that runs next, of another block if there is one and `elsewhere` says so.
static void choose(bool elsewhere) {
    Machine& m = machine;
    if (!m.block || (elsewhere && m.live_count > 1)) {
        m.turn = (m.turn + 1 + (m.order == RANDOM ? draw_below(m.live_count) : 0)) % m.live_count;
        if (m.live[m.turn] != m.block) enter_block(m.live[m.turn]);
    }
    Block& block = *m.block;
    if (m.order == RANDOM && block.ready > 1) {
        unsigned a = block.first, b = (block.first + draw_below(block.ready)) % MAX_BLOCK;
        uint16_t chosen = block.queue[b];
        block.queue[b] = block.queue[a];
        block.queue[a] = chosen;
    }
    threadIdx.x = block.queue[block.first];
    block.first = (block.first + 1) % MAX_BLOCK;
    block.ready--;
}

static inline bool wander() { return machine.order == RANDOM && one_in(machine.wander_odds); }

// Lets others run; returns when the calling thread, which is in a queue or will be put there, is chosen again.
static void pass_on(bool elsewhere) {
    Fibre* mine = running().fibre;
    choose(elsewhere);
    Thread& next = running();
    if (!next.fibre) {
        Fibre* fibre = machine.pool.take();
        if (!fibre) {
            next.fibre = mine;
            fail("no memory for another stack");
        }
        next.fibre = fibre;
    }
    if (next.fibre != mine) fibre_switch(mine, next.fibre);
}

static void yield_now(unsigned line) {
    grow_stale(SPIN_WEIGHT, line);
    machine.block->push(threadIdx.x);
    pass_on(machine.block->ready == 1 || one_in(4));
}

static inline void yield_perhaps(unsigned line) {
    if (one_in(machine.atomic_odds)) yield_now(line);
}

// The life of a fibre: run the current thread, then take over the next.
static void fibre_main() {
    Machine& m = machine;
    for (;;) {
        m.call(m.function, m.arguments);
        Thread& me = running();
        Fibre* mine = me.fibre;
        Block& block = *m.block;
        progress();
        if (--block.live == 0) {
            check_guard(block);
            m.block = nullptr;
            if (m.started < m.grid) start_block(block);
            else {
                for (unsigned i = 0; i < m.live_count; i++)
                    if (m.live[i] == &block) m.live[i] = m.live[--m.live_count];
                if (m.live_count == 0) {
                    m.pool.give(mine);
                    fibre_switch(mine, &m.host);
                    continue; // the next launch
                }
            }
        } else {
            me.state = ENDED;
            if (block.ready == 0) fail_stuck();
            me.fibre = nullptr;
        }
        choose(wander());
        Thread& next = running();
        if (!next.fibre) next.fibre = mine;
        else {
            m.pool.give(mine);
            fibre_switch(mine, next.fibre);
        }
    }
}

static uint64_t meet_block(Op op, bool predicate, unsigned line) {
    Block& block = *machine.block;
    Thread& me = running();
    me.state = WAITING;
    me.op = op;
    me.line = line;
    me.mask = 0;
    me.value = predicate;
    grow_stale(1, line);
    if (++block.at_barrier == machine.size) {
        unsigned count = 0;
        for (unsigned i = 0; i < machine.size; i++) {
            if (!same_meeting(me, block.threads[i])) fail_stuck();
            count += (unsigned)block.threads[i].value;
        }
        uint64_t result = op == SYNC_THREADS_OR ? count > 0 : op == SYNC_THREADS_AND ? count == machine.size : count;
        block.at_barrier = 0;
        for (unsigned i = 0; i < machine.size; i++) {
            unsigned woken = machine.order == DESCENDING ? machine.size - 1 - i : i;
            block.threads[woken].state = READY;
            block.threads[woken].result = result;
            block.push(woken);
        }
    } else if (block.ready == 0) fail_stuck();
    pass_on(wander());
    return me.result;
}

// The lane that `lane` reads in a shuffle.
static unsigned shuffle_source(const Thread& thread, unsigned lane) {
    unsigned base = lane & ~(thread.width - 1), end = base + thread.width, n = thread.operand;
    switch (thread.op) {
    case SHUFFLE: return base + (n & (thread.width - 1));
    case SHUFFLE_UP: return n > lane - base ? lane : lane - n;
    case SHUFFLE_DOWN: return n >= end - lane ? lane : lane + n;
    default: return (lane ^ n) >= end ? lane : lane ^ n;
    }
}

// What `lane` gets when the lanes of `mask` have come. A shuffle from a lane outside the mask gives noise.
static uint64_t warp_result(const Thread* warp, unsigned lane, unsigned mask) {
    const Thread& me = warp[lane];
    if (me.op == SYNC_WARP) return 0;
    if (me.op >= SHUFFLE && me.op <= SHUFFLE_XOR) {
        unsigned source = shuffle_source(me, lane);
        return source < 32 && (mask >> source & 1) ? warp[source].value : draw();
    }
    unsigned ballot = 0, equal = 0;
    uint32_t folded = (uint32_t)me.value;
    for (unsigned i = 0; i < 32; i++) {
        if (!(mask >> i & 1)) continue;
        uint32_t v = (uint32_t)warp[i].value;
        ballot |= (unsigned)(warp[i].value != 0) << i;
        equal |= (unsigned)(warp[i].value == me.value) << i;
        if (i == lane) continue;
        switch (me.op) {
        case REDUCE_ADD: folded += v; break;
        case REDUCE_MIN: folded = v < folded ? v : folded; break;
        case REDUCE_MAX: folded = v > folded ? v : folded; break;
        case REDUCE_MIN_SIGNED: folded = (int32_t)v < (int32_t)folded ? v : folded; break;
        case REDUCE_MAX_SIGNED: folded = (int32_t)v > (int32_t)folded ? v : folded; break;
        case REDUCE_AND: folded &= v; break;
        case REDUCE_OR: folded |= v; break;
        case REDUCE_XOR: folded ^= v; break;
        default: break;
        }
    }
    switch (me.op) {
    case BALLOT: return ballot;
    case ANY: return ballot != 0;
    case ALL: return ballot == mask;
    case MATCH_ANY: return equal;
    default: return folded;
    }
}

static uint64_t meet_warp(Op op, unsigned mask, uint64_t value, unsigned operand, unsigned width, unsigned line) {
    Block& block = *machine.block;
    unsigned lane = threadIdx.x & 31, base = threadIdx.x - lane;
    Thread* warp = block.threads + base;
    Thread& me = warp[lane];
    me.op = op;
    me.line = line;
    me.mask = mask;
    me.value = value;
    me.operand = operand;
    me.width = width;
    if (!(mask >> lane & 1))
        fail("block %u, thread %u: %s (line %u) with mask %08x, which leaves out the caller", block.index, threadIdx.x,
             OP_NAMES[op], line, mask);
    me.state = WAITING;
    grow_stale(1, line);
    unsigned there = machine.size - base < 32 ? mask & ((1u << (machine.size - base)) - 1) : mask;
    bool complete = true;
    for (unsigned i = 0; i < 32 && complete; i++) complete = !(there >> i & 1) || same_meeting(me, warp[i]);
    if (complete) {
        for (unsigned i = 0; i < 32; i++)
            if (there >> i & 1) warp[i].result = warp_result(warp, i, there);
        for (unsigned i = 0; i < 32; i++) {
            unsigned woken = machine.order == DESCENDING ? 31 - i : i;
            if (!(there >> woken & 1)) continue;
            warp[woken].state = READY;
            block.push(base + woken);
        }
    } else if (block.ready == 0) fail_stuck();
    pass_on(wander());
    return me.result;
}

} // namespace terrace_sim
