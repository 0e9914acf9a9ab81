// Runs kernels of CUDA C++ on the processor: blocks one after another, the threads of a block as fibers that change at
// barriers and exchanges, or as a plain loop where a kernel has neither. Enough of the language for the files of ../kernels; shared variables are static, since
// only one block runs at a time.

#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define __global__ __attribute__((visibility("hidden")))  // libc has an advance of its own
#define __device__
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

struct Index {
    unsigned x, y;
};

static Index threadIdx, blockIdx, blockDim, gridDim;

using std::isfinite;
using std::max;
using std::min;

static inline float __int_as_float(int bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int __float_as_int(float value) {
    int bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }

// Rounded by themselves: without the detour a compiler may make one operation of a product and a sum.
static inline float __fmul_rn(float a, float b) {
    volatile float product = a * b;
    return product;
}

static inline float __fadd_rn(float a, float b) {
    volatile float sum = a + b;
    return sum;
}

// A Meeting is where some threads wait for each other.
struct Meeting {
    int wanted = 0, arrived = 0, round = 0;
    void open() { arrived = 0, round++; }
    void leave() {
        if (--wanted == arrived && arrived > 0) open();
    }
};

// A fiber runs a thread of one block after another; it is made once.
struct Fiber {
    ucontext_t context;  // of its beginning
    jmp_buf place;       // where it waits: jumps need no call of the system
    std::vector<char> stack;
    bool begun = false, ended;
};

static std::vector<Fiber> fibers(1024);
static ucontext_t beginning;
static jmp_buf scheduler;
static int current;
static Meeting whole, warps[32];
static float exchanged[2][1024];
static unsigned char turn[1024];  // of a thread: the half of exchanged that its next exchange takes
static void (*body)(void **);
static void **body_arguments;
static bool waited, alone;  // whether a thread has waited, and whether none can

static void wait_at(Meeting &meeting) {
    waited = true;
    if (alone) {
        fprintf(stderr, "threads.h: a kernel waits in one block and not in another\n");
        abort();
    }
    int round = meeting.round;
    if (++meeting.arrived == meeting.wanted) meeting.open();
    while (meeting.round == round)
        if (!_setjmp(fibers[current].place)) _longjmp(scheduler, 1);
}

static inline void __syncthreads() { wait_at(whole); }

// Exchanges take the halves by turns: who is at the next one already leaves alone what others still read of this one.
static inline float __shfl_xor_sync(unsigned, float value, int apart) {
    int self = current;
    float *half = exchanged[turn[self] ^= 1];
    half[self] = value;
    wait_at(warps[self / 32]);
    return half[self ^ apart];
}

static void run_fiber() {
    for (;;) {
        body(body_arguments);
        fibers[current].ended = true;
        whole.leave();
        warps[current / 32].leave();
        if (!_setjmp(fibers[current].place)) _longjmp(scheduler, 1);
    }
}

// run_block runs all threads of a block to their ends.
static void run_block(int threads) {
    whole = Meeting{threads, 0, 0};
    for (int w = 0; w * 32 < threads; w++) warps[w] = Meeting{std::min(32, threads - 32 * w), 0, 0};
    for (int i = 0; i < threads; i++) {
        Fiber &f = fibers[i];
        f.ended = false, turn[i] = 0;
        if (f.begun) continue;
        f.stack.resize(64 << 10);
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack.data();
        f.context.uc_stack.ss_size = f.stack.size();
        f.context.uc_link = nullptr;  // the end of a fiber is a jump
        makecontext(&f.context, run_fiber, 0);
    }
    for (bool running = true; running;) {
        running = false;
        for (current = 0; current < threads; current++) {
            if (fibers[current].ended) continue;
            running = true;
            threadIdx = {current % blockDim.x, current / blockDim.x};
            if (_setjmp(scheduler)) continue;
            if (fibers[current].begun) _longjmp(fibers[current].place, 1);
            fibers[current].begun = true;
            swapcontext(&beginning, &fibers[current].context);
        }
    }
}

// run_alone runs the threads of a block of a kernel in which none waits.
static void run_alone(int threads) {
    alone = true;
    for (current = 0; current < threads; current++) {
        threadIdx = {current % blockDim.x, current / blockDim.x};
        body(body_arguments);
    }
    alone = false;
}

// run_grid runs a kernel. Where no thread of the first block waits, none does.
static void run_grid(void (*kernel)(void **), void **arguments, Index grid, Index block) {
    body = kernel, body_arguments = arguments, gridDim = grid, blockDim = block, waited = false;
    for (unsigned y = 0; y < grid.y; y++)
        for (unsigned x = 0; x < grid.x; x++) {
            blockIdx = {x, y};
            if (waited || (x == 0 && y == 0))
                run_block((int)(block.x * block.y));
            else
                run_alone((int)(block.x * block.y));
        }
}
