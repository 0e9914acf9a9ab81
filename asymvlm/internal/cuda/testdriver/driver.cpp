// A libcuda.so.1 and a libcublas in one that play a card on the processor, with the kernels compiled as C++. They are for
// trying the program of `make gpu` where there is no GPU: everything of package card runs but the card.
//
// The variables PLAYED_CARDS (their number), PLAYED_MAJOR (their compute capability), PLAYED_LOST (after how many launches
// the card fails), PLAYED_THREADS (of a block at most), PLAYED_BLAS (the status with which cuBLAS begins) and PLAYED_WRONG (its
// results are) play what goes wrong. A program that finds the functions played_… chooses a call that fails, and reads what was
// asked.
//
// Work waits in the stream until somebody waits for it: what is read or taken away too early shows, as on a card that is slow.
//
// It is stricter than a driver: a call is refused, and noted as wrong, outside of the context's thread, with a handle that is
// not alive, at places beyond a buffer, and while a stream is captured unless it is a start or a product of a shape and
// an alignment that was done before.

#include "threads.h"

#include "../kernels/step.cu"
#include "../kernels/pairs.cu"
#include "../kernels/heads.cu"
#include "../kernels/masks.cu"
#include "../kernels/evidence.cu"
#include "../kernels/sample.cu"
#include "../kernels/product.cu"
#include "../kernels/sigmoid.cu"
#include "../kernels/symmetric.cu"
#include "../kernels/inclusion.cu"
#include "../kernels/adamp.cu"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <pthread.h>

namespace {

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500,
       LAUNCH_FAILED = 719, UNSUPPORTED_IN_CAPTURE = 900, CAPTURE_INVALIDATED = 901 };

struct Kernel {
    size_t arguments;
    void (*run)(void **);
};

template <auto kernel, class... A, size_t... I>
void call_with(void **arguments, void (*)(A...), std::index_sequence<I...>) {
    kernel(*(A *)arguments[I]...);
}

template <auto kernel, class... A>
Kernel made(void (*)(A...)) {
    return {sizeof...(A), [](void **arguments) { call_with<kernel>(arguments, kernel, std::index_sequence_for<A...>{}); }};
}

#define KERNEL(name) {#name, made<name>(name)}
std::map<std::string, Kernel> kernels = {
    KERNEL(gather), KERNEL(add_bias), KERNEL(prepare), KERNEL(sums_linear), KERNEL(sums_power), KERNEL(merge),
    KERNEL(gradient_linear), KERNEL(gradient_power), KERNEL(along), KERNEL(combine), KERNEL(report), KERNEL(rectify_gradient),
    KERNEL(add_parts), KERNEL(descend), KERNEL(adam), KERNEL(advance), KERNEL(gather_both), KERNEL(variances_of),
    KERNEL(sigmoid_pairs), KERNEL(bottleneck), KERNEL(variance_gradient), KERNEL(report_pairs), KERNEL(matched_variances),
    KERNEL(report_rows), KERNEL(add_detour), KERNEL(generalized), KERNEL(across), KERNEL(gather_groups), KERNEL(sums_linear_masked), KERNEL(sums_power_masked),
    KERNEL(gradient_linear_masked), KERNEL(gradient_power_masked), KERNEL(sigmoid_pairs_masked), KERNEL(evidence),
    KERNEL(evidence_gradient), KERNEL(report_members),
    KERNEL(mean_softmax), KERNEL(draw_cosines), KERNEL(draw_around), KERNEL(product),
    KERNEL(concentrate), KERNEL(temperature_of), KERNEL(sigmoid_linear), KERNEL(sigmoid_power),
    KERNEL(sigmoid_linear_masked), KERNEL(sigmoid_power_masked), KERNEL(report_sigmoid), KERNEL(symmetric_likelihoods),
    KERNEL(symmetric_pulls), KERNEL(symmetric_gradient), KERNEL(scaled_numbers), KERNEL(inclusion),
    KERNEL(include), KERNEL(inclusion_gradient), KERNEL(report_scaled), KERNEL(adamp_moments),
    KERNEL(adamp_angles), KERNEL(adamp_choose), KERNEL(adamp)};

using Work = std::function<void()>;
using Works = std::vector<Work>;
std::vector<std::string> said, wrongs;
int failing, failure;

// What is alive on the card.
enum Kind { CONTEXT = 1, STREAM, EVENT, MODULE, GRAPH, RUNNABLE, BLAS };
std::map<void *, Kind> alive;
std::map<uint64_t, size_t> buffers;
size_t bytes_left = (size_t)1 << 30;
void *context, *now_current;
pthread_t thread_of_context;

// The stream: what waits in it, how much was put there and how much is done; what is captured; and how many recordings were begun
// and are known to have ended.
std::deque<Work> waiting;
long put_there, done;
bool capturing, broken;
Works captured;
int launches, begun, ended, most_under_way;

// Does what waits, up to the work of a number.
void finish(long last) {
    for (; done < last && !waiting.empty(); done++) {
        Work work = std::move(waiting.front());
        waiting.pop_front();
        work();
    }
}

void finish() { finish(put_there); }

// What waits is never done.
void forget() { waiting.clear(), put_there = done; }

// cuBLAS: its stream, whether it has memory since that was set, and the products that it has done.
void *blas_stream;
bool blas_memory;
std::set<std::array<int, 9>> blas_done;

int number(const char *variable, int otherwise) {
    const char *text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

// Notes a call; not 0 where it is to fail.
int asked(const char *name) {
    said.push_back(name);
    if ((int)said.size() != failing) return 0;
    if (failure != OUT_OF_MEMORY) forget();  // the card is lost
    return failure;
}

int wrong(const std::string &what, int status) {
    wrongs.push_back(said.back() + ": " + what);
    return status;
}

// Notes a call that wants the context.
int asked_inside(const char *name, bool within_capture) {
    if (int status = asked(name)) return status;
    if (!now_current || now_current != context || !pthread_equal(thread_of_context, pthread_self())) return wrong("the context is not current", INVALID_CONTEXT);
    if (capturing && !within_capture) return broken = true, wrong("a stream is captured", UNSUPPORTED_IN_CAPTURE);
    return 0;
}

#define ASK \
    if (int status = asked(__func__)) return status
#define ASK_INSIDE \
    if (int status = asked_inside(__func__, false)) return status
#define ASK_CAPTURED \
    if (int status = asked_inside(__func__, true)) return status
#define WANT(handle, kind) \
    if (!is(handle, kind)) return wrong("the handle is not alive", INVALID_HANDLE)
#define WITHIN(place, count) \
    if (!within((uint64_t)(place), count)) return wrong("a place is beyond its buffer", INVALID_VALUE)

void *make(Kind kind) {
    void *handle = new Works();
    alive[handle] = kind;
    return handle;
}

bool is(void *handle, Kind kind) {
    auto found = alive.find(handle);
    return found != alive.end() && found->second == kind;
}

// Handles are never used again, so that nobody takes an old one for a new one.
int destroy(void *handle) { return alive.erase(handle), SUCCESS; }

// Tells whether bytes lie in one buffer.
bool within(uint64_t place, size_t bytes) {
    auto after = buffers.upper_bound(place);
    if (after == buffers.begin()) return false;
    --after;
    return place + bytes <= after->first + after->second;
}

void drop_buffers() {
    forget();
    for (auto &buffer : buffers) free((void *)buffer.first), bytes_left += buffer.second;
    buffers.clear();
}

int put(Work work) {
    if (capturing)
        captured.push_back(std::move(work));
    else
        waiting.push_back(std::move(work)), put_there++;
    return SUCCESS;
}

}  // namespace

extern "C" {

int cuInit(unsigned) { ASK; return SUCCESS; }
int cuDeviceGetCount(int *count) { ASK; return *count = number("PLAYED_CARDS", 1), SUCCESS; }
int cuDeviceGet(int *device, int ordinal) { ASK; return *device = ordinal, SUCCESS; }
int cuDeviceGetName(char *name, int size, int) { ASK; return strncpy(name, "played card", size), SUCCESS; }
int cuDeviceGetAttribute(int *value, int attribute, int) {
    ASK;
    *value = attribute == 75 ? number("PLAYED_MAJOR", 9) : 0;  // the major and the minor capability are 75 and 76
    return SUCCESS;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) { ASK; return *bytes = (size_t)1 << 30, SUCCESS; }
int cuDevicePrimaryCtxRetain(void **made, int) {
    ASK;
    if (context) return wrong("it is there already", INVALID_VALUE);
    return *made = context = make(CONTEXT), SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(int) {  // takes all along, as on a card, also where it is to fail
    int status = asked(__func__);
    if (!context) return wrong("there is none", INVALID_CONTEXT);
    destroy(context);
    if (failing == 0 && (!alive.empty() || !buffers.empty())) wrong("something is left behind", SUCCESS);
    drop_buffers();
    alive.clear();
    context = now_current = nullptr;
    return status;
}
int cuCtxSetCurrent(void *wanted) {
    ASK;
    WANT(wanted, CONTEXT);
    return now_current = wanted, thread_of_context = pthread_self(), SUCCESS;
}
int cuStreamCreate(void **stream, unsigned flags) {
    ASK_INSIDE;
    if (flags != 1) return wrong("it waits for the default stream", INVALID_VALUE);
    return *stream = make(STREAM), SUCCESS;
}
int cuStreamDestroy_v2(void *stream) { ASK_INSIDE; WANT(stream, STREAM); return destroy(stream); }
int cuStreamSynchronize(void *stream) { ASK_INSIDE; WANT(stream, STREAM); return finish(), ended = begun, SUCCESS; }
int cuEventCreate(void **event, unsigned flags) {
    ASK_INSIDE;
    return *event = make(EVENT), flags == 0 || flags == 2 ? SUCCESS : wrong("flags", INVALID_VALUE);
}
int cuEventDestroy_v2(void *event) { ASK_INSIDE; WANT(event, EVENT); return destroy(event); }
int cuEventRecord(void *event, void *stream) {
    ASK_INSIDE;
    WANT(event, EVENT);
    WANT(stream, STREAM);
    int now = begun;
    long last = put_there;
    *(Works *)event = {[=] { finish(last), ended = std::max(ended, now); }};
    return SUCCESS;
}
int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
    ASK_INSIDE;
    WANT(from, EVENT);
    WANT(to, EVENT);
    return *milliseconds = 1, SUCCESS;
}
int cuEventElapsedTime_v2(float *milliseconds, void *from, void *to) { return cuEventElapsedTime(milliseconds, from, to); }
int cuEventSynchronize(void *event) {
    ASK_INSIDE;
    WANT(event, EVENT);
    for (auto &work : *(Works *)event) work();  // none before it was recorded
    return SUCCESS;
}
int cuModuleLoadData(void **module, const void *text) {
    ASK_INSIDE;
    *module = make(MODULE);
    return strstr((const char *)text, ".version 7.8") ? SUCCESS : wrong("the version", INVALID_VALUE);
}
int cuModuleUnload(void *module) { ASK_INSIDE; WANT(module, MODULE); return destroy(module); }
int cuModuleGetFunction(void **function, void *module, const char *name) {
    ASK_INSIDE;
    WANT(module, MODULE);
    auto found = kernels.find(name);
    if (found == kernels.end()) return NOT_FOUND;
    *function = &found->second;
    return SUCCESS;
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
    ASK_INSIDE;
    if (attribute != 0) return wrong("the attribute", INVALID_VALUE);
    return *value = number("PLAYED_THREADS", 1024), SUCCESS;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    ASK_INSIDE;
    if (bytes == 0) return wrong("no bytes", INVALID_VALUE);
    if (bytes > bytes_left) return OUT_OF_MEMORY;
    bytes_left -= bytes;
    *address = (uint64_t)malloc(bytes);
    memset((void *)*address, 0xff, bytes);
    buffers[*address] = bytes;
    return SUCCESS;
}
int cuMemGetInfo_v2(size_t *free, size_t *total) { ASK_INSIDE; return *free = bytes_left, *total = (size_t)1 << 30, SUCCESS; }
int cuMemFree_v2(uint64_t address) {
    ASK_INSIDE;
    auto found = buffers.find(address);
    if (found == buffers.end()) return wrong("no buffer begins there", INVALID_VALUE);
    finish();
    bytes_left += found->second;
    buffers.erase(found);
    return free((void *)address), SUCCESS;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
    ASK_INSIDE;
    WANT(stream, STREAM);
    WITHIN(to, bytes);
    return put([=] { memcpy((void *)to, from, bytes); });
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    ASK_INSIDE;
    WANT(stream, STREAM);
    WITHIN(from, bytes);
    return put([=] { memcpy(to, (const void *)from, bytes); });
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned,
                   void *stream, void **arguments, void **) {
    ASK_CAPTURED;
    WANT(stream, STREAM);
    Kernel *kernel = (Kernel *)function;
    if (gz != 1 || bz != 1 || gx < 1 || gy < 1 || gy > 65535 || bx * by < 1 || bx * by > 1024) return wrong("the grid", INVALID_VALUE);
    std::vector<uint64_t> values(kernel->arguments);
    for (size_t i = 0; i < values.size(); i++) values[i] = *(uint64_t *)arguments[i];
    return put([=]() mutable {
        std::vector<void *> pointers;
        for (auto &value : values) pointers.push_back(&value);
        launches++;
        run_grid(kernel->run, pointers.data(), {gx, gy}, {bx, by});
    });
}
int cuStreamBeginCapture_v2(void *stream, int mode) {
    ASK_INSIDE;
    WANT(stream, STREAM);
    if (mode != 2) return wrong("the mode", INVALID_VALUE);
    return capturing = true, broken = false, captured.clear(), SUCCESS;
}
int cuStreamEndCapture(void *stream, void **graph) {
    ASK_CAPTURED;
    WANT(stream, STREAM);
    if (!capturing) return wrong("nothing is captured", INVALID_VALUE);
    capturing = false;
    if (broken) return *graph = nullptr, CAPTURE_INVALIDATED;
    *graph = make(GRAPH);
    *(Works *)*graph = captured;
    return SUCCESS;
}
int cuGraphInstantiateWithFlags(void **runnable, void *graph, unsigned long long flags) {
    ASK_INSIDE;
    WANT(graph, GRAPH);
    if (flags != 0) return wrong("flags", INVALID_VALUE);
    *runnable = make(RUNNABLE);
    *(Works *)*runnable = *(Works *)graph;
    return SUCCESS;
}
int cuGraphDestroy(void *graph) { ASK_INSIDE; WANT(graph, GRAPH); return destroy(graph); }
int cuGraphExecDestroy(void *runnable) { ASK_INSIDE; WANT(runnable, RUNNABLE); return destroy(runnable); }
int cuGraphLaunch(void *runnable, void *stream) {
    ASK_INSIDE;
    WANT(runnable, RUNNABLE);
    WANT(stream, STREAM);
    if (launches >= number("PLAYED_LOST", 1 << 30)) return LAUNCH_FAILED;
    most_under_way = std::max(most_under_way, ++begun - ended);
    for (auto &work : *(Works *)runnable) put(work);
    return SUCCESS;
}

// played_begin forgets what was asked, gives the card so many bytes, and lets the call of a number, from 1, fail with a status.
// A card that is open stays so.
void played_begin(int call, int status, size_t bytes) {
    said.clear(), wrongs.clear(), failing = call, failure = status, capturing = broken = false;
    launches = begun = ended = most_under_way = 0;
    drop_buffers();
    bytes_left = bytes;
}

// played_said is the number of calls, played_name the name of one; played_wrongs and played_wrong are those of refusals.
int played_said() { return (int)said.size(); }
const char *played_name(int call) { return said[call].c_str(); }
int played_wrongs() { return (int)wrongs.size(); }
const char *played_wrong(int call) { return wrongs[call].c_str(); }

// played_under_way is how many recordings had been begun at most and were not known to have ended.
int played_under_way() { return most_under_way; }

// played_bytes is what is allocated.
size_t played_bytes() {
    size_t sum = 0;
    for (auto &buffer : buffers) sum += buffer.second;
    return sum;
}

int cublasCreate_v2(void **handle) {
    ASK_INSIDE;
    if (int status = number("PLAYED_BLAS", 0)) return status;
    blas_stream = nullptr, blas_memory = false, blas_done.clear();
    return *handle = make(BLAS), 0;
}
int cublasGetVersion_v2(void *handle, int *version) { ASK; WANT(handle, BLAS); return *version = 120405, 0; }
int cublasDestroy_v2(void *handle) { ASK_INSIDE; WANT(handle, BLAS); return finish(), destroy(handle), 0; }
int cublasSetStream_v2(void *handle, void *stream) {
    ASK_INSIDE;
    WANT(handle, BLAS);
    WANT(stream, STREAM);
    return blas_stream = stream, blas_memory = false, 0;
}
int cublasSetWorkspace_v2(void *handle, uint64_t workspace, size_t bytes) {
    ASK_INSIDE;
    WANT(handle, BLAS);
    WITHIN(workspace, bytes);
    return blas_memory = true, 0;
}
int cublasSetMathMode(void *handle, int mode) { ASK_INSIDE; WANT(handle, BLAS); return mode == 0 || mode == 3 ? 0 : wrong("the mode", 7); }
int cublasSgemm_v2(void *handle, int transa, int transb, int m, int n, int k, const float *alpha, const float *a, int lda,
                   const float *b, int ldb, const float *beta, float *c, int ldc) {
    ASK_CAPTURED;
    WANT(handle, BLAS);
    WANT(blas_stream, STREAM);
    if (!blas_memory) return wrong("there is no workspace", 14);
    float keep = *beta;
    if (*alpha != 1 || (keep != 0 && keep != 1)) return wrong("the factors", 7);
    if (lda < (transa ? k : m) || ldb < (transb ? n : k) || ldc < m) return wrong("a leading dimension", 7);
    WITHIN(a, 4 * ((size_t)lda * ((transa ? m : k) - 1) + (transa ? k : m)));
    WITHIN(b, 4 * ((size_t)ldb * ((transb ? k : n) - 1) + (transb ? n : k)));
    WITHIN(c, 4 * ((size_t)ldc * (n - 1) + m));
    std::array<int, 9> shape = {transa, transb, m, n, k, keep != 0, (int)((uint64_t)a % 16), (int)((uint64_t)b % 16), (int)((uint64_t)c % 16)};
    if (capturing && !blas_done.count(shape)) return broken = true, wrong("a product is loaded while a stream is captured", 14);
    blas_done.insert(shape);
    float slip = number("PLAYED_WRONG", 0);
    return put([=]() {
        for (long j = 0; j < n; j++)
            for (long i = 0; i < m; i++) {
                double sum = keep == 0 ? slip : c[i + j * ldc];
                for (long l = 0; l < k; l++) sum += (double)a[transa ? l + i * lda : i + l * lda] * b[transb ? j + l * ldb : l + j * ldb];
                c[i + j * ldc] = (float)sum;
            }
    });
}

}  // extern "C"
