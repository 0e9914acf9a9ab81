// Runs kernels of CUDA C++ on the processor: blocks one after another, the threads of a block as fibers that change at
// barriers and exchanges. Enough of the language for the files of ../../asymvlm/cuda/kernels; shared variables are static, since
// only one block runs at a time.

#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#define __global__ __attribute__((visibility("hidden")))  // libc has an advance of its own
#define __device__
#define __shared__ static

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

// A Meeting is where some threads wait for each other.
struct Meeting {
    int wanted = 0, arrived = 0, round = 0;
    void open() { arrived = 0, round++; }
    void leave() {
        if (--wanted == arrived && arrived > 0) open();
    }
};

struct Fiber {
    ucontext_t context;  // of its beginning
    jmp_buf place;       // where it waits: jumps need no call of the system
    std::vector<char> stack = std::vector<char>(64 << 10);
    bool begun, ended;
};

static std::vector<Fiber> fibers;
static ucontext_t beginning;
static jmp_buf scheduler;
static int current;
static Meeting whole, warps[32];
static float exchanged[1024];
static void (*body)(void **);
static void **body_arguments;

static void wait_at(Meeting &meeting) {
    int round = meeting.round;
    if (++meeting.arrived == meeting.wanted) meeting.open();
    while (meeting.round == round)
        if (!_setjmp(fibers[current].place)) _longjmp(scheduler, 1);
}

static inline void __syncthreads() { wait_at(whole); }

static inline float __shfl_xor_sync(unsigned, float value, int apart) {
    int self = current;
    exchanged[self] = value;
    wait_at(warps[self / 32]);
    float other = exchanged[self ^ apart];
    wait_at(warps[self / 32]);
    return other;
}

static void run_fiber() {
    body(body_arguments);
    fibers[current].ended = true;
    whole.leave();
    warps[current / 32].leave();
    _longjmp(scheduler, 1);
}

// run_block runs all threads of a block to their ends.
static void run_block(int threads) {
    if ((int)fibers.size() < threads) fibers.resize(threads);
    whole = Meeting{threads, 0, 0};
    for (int w = 0; w * 32 < threads; w++) warps[w] = Meeting{std::min(32, threads - 32 * w), 0, 0};
    for (int i = 0; i < threads; i++) {
        Fiber &f = fibers[i];
        f.begun = f.ended = false;
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

// run_grid runs a kernel.
static void run_grid(void (*kernel)(void **), void **arguments, Index grid, Index block) {
    body = kernel, body_arguments = arguments, gridDim = grid, blockDim = block;
    for (unsigned y = 0; y < grid.y; y++)
        for (unsigned x = 0; x < grid.x; x++) {
            blockIdx = {x, y};
            run_block((int)(block.x * block.y));
        }
}
