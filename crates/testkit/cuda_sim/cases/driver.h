// The driver of the simulator's own tests: runs each case of a file under many seeds and prints one line for each.
//
//     CASE(reverse) { int b[4]; LAUNCH(reverse, 1, 4, 0, b); show(b, 4); }      reverse 0: 3 2 1 0
//                                                                               reverse 1: 3 2 1 0 ...
//
// A launch that fails prints its message instead of values. What the lines should be is known to the Rust test that
// runs the program; nothing is judged here.
#pragma once

static uint64_t seed;
static char message[512];

struct Case {
    const char* name;
    void (*run)();
    Case* next;
    static Case* first;
    Case(const char* name_, void (*run_)()) : name(name_), run(run_), next(first) { first = this; }
};
Case* Case::first = nullptr;

#define CASE(name)                                   \
    static void case_##name();                       \
    static Case registered_##name(#name, case_##name); \
    static void case_##name()

template <class... T>
static int launch_with(int (*launcher)(unsigned, unsigned, unsigned, void**, uint64_t, char*, size_t), unsigned grid,
                       unsigned block, unsigned dynamic, T... values) {
    void* args[] = {(void*)&values..., nullptr};
    return launcher(grid, block, dynamic, args, seed, message, sizeof message);
}

#define LAUNCH(kernel, grid, block, dynamic, ...)                                    \
    if (launch_with(kernel##__sim, grid, block, dynamic, __VA_ARGS__)) {             \
        printf("%s\n", message);                                                     \
        return;                                                                      \
    }

template <class T> static void show(const T* values, int count) {
    for (int i = 0; i < count; i++) printf("%s%.17g", i ? " " : "", (double)values[i]);
    printf("\n");
}

int main() {
    for (Case* one = Case::first; one; one = one->next)
        for (seed = 0; seed < 12; seed++) {
            printf("%s %d: ", one->name, (int)seed);
            one->run();
        }
}
