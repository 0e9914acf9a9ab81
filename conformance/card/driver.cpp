// A libcuda.so.1 and a libcublas in one that play a card on the processor, with the kernels compiled as C++. They are for
// trying the program of `make gpu` where there is no card: everything of package card runs but the card.
//
// The variables PLAYED_CARDS (their number), PLAYED_MAJOR (their compute capability) and PLAYED_LOST (after how many launches
// the card fails) play what goes wrong. A program that finds the functions played_… chooses a call that fails, and reads what
// was asked.

#include "threads.h"

#include "../../asymvlm/cuda/kernels/step.cu"
#include "../../asymvlm/cuda/kernels/pairs.cu"
#include "../../asymvlm/cuda/kernels/heads.cu"
#include "../../asymvlm/cuda/kernels/masks.cu"
#include "../../asymvlm/cuda/kernels/evidence.cu"
#include "../../asymvlm/cuda/kernels/sample.cu"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace {

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, NOT_FOUND = 500, LAUNCH_FAILED = 719, UNSUPPORTED_IN_CAPTURE = 900 };

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
    KERNEL(mean_softmax), KERNEL(draw_cosines), KERNEL(draw_around)};

using Work = std::function<void()>;
bool capturing;
std::vector<std::string> said;
int failing, failure;
size_t bytes_left = (size_t)1 << 30;
std::map<uint64_t, size_t> buffers;

// Notes a call; not 0 where it is to fail.
int asked(const char *name) {
    said.push_back(name);
    return (int)said.size() == failing ? failure : 0;
}

#define ASK \
    if (int wrong = asked(__func__)) return wrong
std::vector<Work> captured;
int launches;

int number(const char *variable, int otherwise) {
    const char *text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

int put(Work work) {
    if (capturing) {
        captured.push_back(std::move(work));
        return SUCCESS;
    }
    work();
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
int cuCtxCreate_v2(void **context, unsigned, int) { ASK; return *context = &capturing, SUCCESS; }
int cuCtxDestroy_v2(void *) {  // takes all memory along, as on a card
    ASK;
    for (auto &buffer : buffers) free((void *)buffer.first), bytes_left += buffer.second;
    buffers.clear();
    return SUCCESS;
}
int cuStreamCreate(void **stream, unsigned) { ASK; return *stream = &captured, SUCCESS; }
int cuStreamDestroy_v2(void *) { ASK; return SUCCESS; }
int cuStreamSynchronize(void *) { ASK; return capturing ? UNSUPPORTED_IN_CAPTURE : SUCCESS; }
int cuEventCreate(void **event, unsigned flags) { ASK; return *event = new int(0), flags == 0 || flags == 2 ? SUCCESS : INVALID_VALUE; }
int cuEventDestroy_v2(void *event) { ASK; return delete (int *)event, SUCCESS; }
int cuEventRecord(void *event, void *stream) { ASK; return ++*(int *)event, stream == &captured && !capturing ? SUCCESS : INVALID_VALUE; }
int cuEventElapsedTime(float *milliseconds, void *, void *) { ASK; return *milliseconds = 1, SUCCESS; }
int cuEventElapsedTime_v2(float *milliseconds, void *from, void *to) { return cuEventElapsedTime(milliseconds, from, to); }
int cuEventSynchronize(void *event) { ASK; return event ? SUCCESS : INVALID_VALUE; }
int cuModuleLoadData(void **module, const void *text) {
    ASK;
    *module = &kernels;
    return strstr((const char *)text, ".version 7.8") ? SUCCESS : INVALID_VALUE;
}
int cuModuleGetFunction(void **function, void *, const char *name) {
    ASK;
    auto found = kernels.find(name);
    if (found == kernels.end()) return NOT_FOUND;
    *function = &found->second;
    return SUCCESS;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    ASK;
    if (bytes > bytes_left) return OUT_OF_MEMORY;
    bytes_left -= bytes;
    *address = (uint64_t)malloc(bytes);
    memset((void *)*address, 0xff, bytes);
    buffers[*address] = bytes;
    return SUCCESS;
}
int cuMemFree_v2(uint64_t address) {
    ASK;
    auto found = buffers.find(address);
    if (found == buffers.end()) return INVALID_VALUE;
    bytes_left += found->second;
    buffers.erase(found);
    return free((void *)address), SUCCESS;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
    ASK;
    if (capturing) return UNSUPPORTED_IN_CAPTURE;
    return memcpy((void *)to, from, bytes), SUCCESS;
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
    ASK;
    if (capturing) return UNSUPPORTED_IN_CAPTURE;
    return memcpy(to, (const void *)from, bytes), SUCCESS;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned,
                   void *stream, void **arguments, void **) {
    ASK;
    Kernel *kernel = (Kernel *)function;
    if (stream != &captured || gz != 1 || bz != 1 || gx < 1 || gy < 1 || bx * by < 1 || bx * by > 1024) return INVALID_VALUE;
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
    ASK;
    if (capturing || stream != &captured || mode != 2) return INVALID_VALUE;
    return capturing = true, captured.clear(), SUCCESS;
}
int cuStreamEndCapture(void *, void **graph) {
    ASK;
    if (!capturing) return INVALID_VALUE;
    *graph = new std::vector<Work>(captured);
    return capturing = false, SUCCESS;
}
int cuGraphInstantiateWithFlags(void **runnable, void *graph, unsigned long long) {
    ASK;
    *runnable = new std::vector<Work>(*(std::vector<Work> *)graph);
    return SUCCESS;
}
int cuGraphDestroy(void *graph) { ASK; return delete (std::vector<Work> *)graph, SUCCESS; }
int cuGraphExecDestroy(void *runnable) { ASK; return delete (std::vector<Work> *)runnable, SUCCESS; }
int cuGraphLaunch(void *runnable, void *stream) {
    ASK;
    if (stream != &captured) return INVALID_VALUE;
    if (launches >= number("PLAYED_LOST", 1 << 30)) return LAUNCH_FAILED;
    for (auto &work : *(std::vector<Work> *)runnable) work();
    return SUCCESS;
}

// played_begin forgets what was asked, gives the card so many bytes, and lets the call of a number, from 1, fail with a status.
void played_begin(int call, int status, size_t bytes) {
    said.clear(), failing = call, failure = status, bytes_left = bytes, capturing = false, launches = 0;
    for (auto &buffer : buffers) free((void *)buffer.first);
    buffers.clear();
}

// played_said is the number of calls, played_name the name of one.
int played_said() { return (int)said.size(); }
const char *played_name(int call) { return said[call].c_str(); }

// played_bytes is what is allocated.
size_t played_bytes() {
    size_t sum = 0;
    for (auto &buffer : buffers) sum += buffer.second;
    return sum;
}

int cublasCreate_v2(void **handle) { ASK; return *handle = &launches, 0; }
int cublasDestroy_v2(void *) { ASK; return 0; }
int cublasSetStream_v2(void *handle, void *stream) { ASK; return handle == &launches && stream == &captured ? 0 : 7; }
int cublasSetWorkspace_v2(void *, uint64_t workspace, size_t bytes) {
    ASK;
    auto found = buffers.find(workspace);
    return found != buffers.end() && bytes <= found->second ? 0 : 7;
}
int cublasSetMathMode(void *, int mode) { ASK; return mode == 0 || mode == 3 ? 0 : 7; }
int cublasSgemm_v2(void *handle, int transa, int transb, int m, int n, int k, const float *alpha, const float *a, int lda,
                   const float *b, int ldb, const float *beta, float *c, int ldc) {
    ASK;
    float keep = *beta;
    if (handle != &launches || *alpha != 1 || (keep != 0 && keep != 1)) return 7;
    if (lda < (transa ? k : m) || ldb < (transb ? n : k) || ldc < m) return 7;
    return put([=]() {
        for (long j = 0; j < n; j++)
            for (long i = 0; i < m; i++) {
                double sum = keep == 0 ? 0 : c[i + j * ldc];
                for (long l = 0; l < k; l++) sum += (double)a[transa ? l + i * lda : i + l * lda] * b[transb ? j + l * ldb : l + j * ldb];
                c[i + j * ldc] = (float)sum;
            }
    });
}

}  // extern "C"
