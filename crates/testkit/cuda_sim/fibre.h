// Fibres: many stacks, one CPU thread.
//
// A CUDA thread that waits at a barrier has to stop in the middle of its function while another one goes on. Each such
// thread therefore has a stack of its own, and changing threads is saving one stack pointer and loading another:
//
//     thread 0:  s[0] = 1; __syncthreads();  --switch-->  thread 1:  s[1] = 1; __syncthreads();  --switch--> ...
//
// On x86-64 the switch is written out: the callee-saved registers are pushed, the stack pointers exchanged, the
// registers popped. Elsewhere `ucontext` does it, more slowly (it also saves the signal mask, with a system call);
// -DTERRACE_SIM_UCONTEXT asks for that on x86-64 too.
//
// Stacks come in slabs, because the system limits the number of mappings of a process and a test run loads many kernel
// libraries; they are kept between launches, up to a limit. Their tops are staggered, since stacks at equal distances
// would compete for the same cache lines. Nothing lies between two stacks: that a frame is too large for one is left
// to the compiler to find (-Werror=frame-larger-than=65536), and kernels do not recurse.
//
// Declined: saving the floating-point control words (kernels cannot change them) and unwinding through a switch.
#pragma once
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TERRACE_CUDA_SIM 1

#if defined(__x86_64__) && !defined(TERRACE_SIM_UCONTEXT)
#define TERRACE_SIM_SWITCH 1
__asm__(".pushsection .text\n"
        ".type terrace_sim_switch,@function\n"
        "terrace_sim_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size terrace_sim_switch, . - terrace_sim_switch\n"
        ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) void terrace_sim_switch(void** save, void* load);
#else
#include <ucontext.h>
#endif

namespace terrace_sim {

static const size_t STACK_BYTES = 128 * 1024;
static const unsigned SLAB = 32, SLABS_KEPT = 16;

struct Fibre {
#if TERRACE_SIM_SWITCH
    void* stack_pointer;
#else
    ucontext_t context;
#endif
    char* stack;     // its low end; null for the launching thread
    unsigned number; // in its slab
    Fibre* next_unused;
};

struct Slab {
    Fibre fibres[SLAB];
    void* memory;
    Slab* next;
};

// Points the fibre at the start of `entry`, forgetting whatever it was doing.
static void fibre_reset(Fibre* fibre, void (*entry)()) {
    size_t bytes = STACK_BYTES - 64 - 128 * fibre->number;
#if TERRACE_SIM_SWITCH
    // As if `entry` had been called: on entry the stack pointer is 8 below a multiple of 16.
    void** top = (void**)(fibre->stack + bytes);
    *--top = nullptr;
    *--top = (void*)entry;
    for (int saved = 0; saved < 6; saved++) *--top = nullptr;
    fibre->stack_pointer = top;
#else
    getcontext(&fibre->context);
    fibre->context.uc_stack.ss_sp = fibre->stack;
    fibre->context.uc_stack.ss_size = bytes;
    fibre->context.uc_link = nullptr;
    makecontext(&fibre->context, entry, 0);
#endif
}

static inline void fibre_switch(Fibre* from, Fibre* to) {
#if TERRACE_SIM_SWITCH
    terrace_sim_switch(&from->stack_pointer, to->stack_pointer);
#else
    swapcontext(&from->context, &to->context);
#endif
}

struct FibrePool {
    Fibre* unused;
    Slab* slabs;
    void (*entry)();

    void give(Fibre* fibre) {
        fibre->next_unused = unused;
        unused = fibre;
    }

    void give_all(Slab* slab) {
        for (unsigned i = SLAB; i-- > 0;) {
            fibre_reset(&slab->fibres[i], entry);
            give(&slab->fibres[i]);
        }
    }

    // Null when the system has no memory for more stacks.
    Fibre* take() {
        if (!unused && !grow()) return nullptr;
        Fibre* fibre = unused;
        unused = fibre->next_unused;
        return fibre;
    }

    bool grow() {
        Slab* slab = (Slab*)calloc(1, sizeof(Slab));
        if (!slab) return false;
        slab->memory = mmap(nullptr, SLAB * STACK_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (slab->memory == MAP_FAILED) {
            free(slab);
            return false;
        }
        for (unsigned i = 0; i < SLAB; i++) {
            slab->fibres[i].stack = (char*)slab->memory + i * STACK_BYTES;
            slab->fibres[i].number = i;
        }
        slab->next = slabs;
        slabs = slab;
        give_all(slab);
        return true;
    }

    // After a launch: drops slabs beyond the limit. Fibres that were abandoned in a thread begin afresh.
    void settle(bool abandoned, unsigned limit) {
        unsigned count = 0;
        for (Slab* slab = slabs; slab; slab = slab->next) count++;
        if (!abandoned && count <= limit) return;
        unused = nullptr;
        for (; count > limit; count--) {
            Slab* slab = slabs;
            slabs = slab->next;
            munmap(slab->memory, SLAB * STACK_BYTES);
            free(slab);
        }
        for (Slab* slab = slabs; slab; slab = slab->next) give_all(slab);
    }
};

} // namespace terrace_sim
